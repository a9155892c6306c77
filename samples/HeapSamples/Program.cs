// Runs one of the samples about heaps: `HeapSamples Leak --end FILE`.
namespace HeapSamples;

internal static class Program
{
    private static readonly Dictionary<string, Action<string[]>> kSamples = new()
    {
        ["Leak"] = Leak.Program.Main,
        ["EventLeak"] = EventLeak.Program.Main,
        ["TimerLeak"] = TimerLeak.Program.Main,
        ["ClosureLeak"] = ClosureLeak.Program.Main,
        ["CacheLeak"] = CacheLeak.Program.Main,
        ["HandleLeak"] = HandleLeak.Program.Main,
        ["NativeLeak"] = NativeLeak.Program.Main,
        ["ThreadStaticLeak"] = ThreadStaticLeak.Program.Main,
        ["BigHeap"] = BigHeap.Program.Main,
        ["GraphShapes"] = GraphShapes.Program.Main,
        ["Healthy"] = Healthy.Program.Main,
    };

    private static int Main(string[] args)
    {
        if (args.Length > 0 && kSamples.TryGetValue(args[0], out Action<string[]>? sample))
        {
            sample(args[1..]);
            return 0;
        }
        Console.Error.WriteLine("HeapSamples " + string.Join("|", kSamples.Keys) + " [options of the sample]");
        return 64;
    }
}
