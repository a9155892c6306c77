// Runs a sample about CPU time: `CpuSamples [--go FILE] [--end FILE] CpuHot --ms 500`.
using Samples;

namespace CpuSamples;

internal static class Program
{
    private static readonly Dictionary<string, (string Usage, Action<Arguments> Build)> kSamples = new()
    {
        ["CpuHot"] = (CpuHot.Program.Usage, CpuHot.Program.Build),
        ["ManyThreads"] = (ManyThreads.Program.Usage, ManyThreads.Program.Build),
        ["OwnSignals"] = (OwnSignals.Program.Usage, OwnSignals.Program.Build),
        ["Surroundings"] = (Surroundings.Program.Usage, Surroundings.Program.Build),
    };

    private static int Main(string[] args)
    {
        int at = Array.FindIndex(args, kSamples.ContainsKey);
        if (at < 0)
        {
            Console.Error.WriteLine("CpuSamples [--go FILE] [--end FILE] " + string.Join("|", kSamples.Keys) +
                                    " [options of the sample]");
            return 64;
        }
        (string usage, Action<Arguments> build) = kSamples[args[at]];
        var arguments = new Arguments(args[(at + 1)..], usage);
        Scene.Play(new Arguments(args[..at], "CpuSamples " + Scene.Usage), () => build(arguments));
        return 0;
    }
}
