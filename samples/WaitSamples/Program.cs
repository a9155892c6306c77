// Runs samples about waits, one or several in one process, in the order given:
// `WaitSamples [--go FILE] [--end FILE] Deadlock --locks 5 + StuckTask --count 10`.
using Samples;

namespace WaitSamples;

internal static class Program
{
    private static readonly Dictionary<string, (string Usage, Action<Arguments> Build)> kSamples = new()
    {
        ["Deadlock"] = (Deadlock.Program.Usage, Deadlock.Program.Build),
        ["ReaderWriterDeadlock"] = (ReaderWriterDeadlock.Program.Usage, ReaderWriterDeadlock.Program.Build),
        ["AsyncDeadlock"] = (AsyncDeadlock.Program.Usage, AsyncDeadlock.Program.Build),
        ["SyncOverAsync"] = (SyncOverAsync.Program.Usage, SyncOverAsync.Program.Build),
        ["StuckTask"] = (StuckTask.Program.Usage, StuckTask.Program.Build),
        ["PoolStarvation"] = (PoolStarvation.Program.Usage, PoolStarvation.Program.Build),
        ["Contention"] = (Contention.Program.Usage, Contention.Program.Build),
        ["ZombieThread"] = (ZombieThread.Program.Usage, ZombieThread.Program.Build),
        ["ThreadLeak"] = (ThreadLeak.Program.Usage, ThreadLeak.Program.Build),
        ["SlowButAlive"] = (SlowButAlive.Program.Usage, _ => SlowButAlive.Program.Build()),
        ["SlowHandles"] = (SlowHandles.Program.Usage, _ => SlowHandles.Program.Build()),
        ["HeldLocks"] = (HeldLocks.Program.Usage, _ => HeldLocks.Program.Build()),
        ["CompiledCalls"] = (CompiledCalls.Program.Usage, _ => CompiledCalls.Program.Build()),
        ["Stress"] = (Stress.Program.Usage, Stress.Program.Build),
    };

    private static int Main(string[] args)
    {
        int first = Array.FindIndex(args, kSamples.ContainsKey);
        if (first < 0)
        {
            Console.Error.WriteLine("WaitSamples [--go FILE] [--end FILE] " + string.Join("|", kSamples.Keys) +
                                    " [options of the sample] [+ another one]");
            return 64;
        }
        var builds = new List<Action>();
        for (int begin = first; begin < args.Length;)
        {
            int end = Array.IndexOf(args, "+", begin);
            if (end < 0) end = args.Length;
            (string usage, Action<Arguments> build) = kSamples[args[begin]];
            var arguments = new Arguments(args[(begin + 1)..end], usage);
            builds.Add(() => build(arguments));
            begin = end + 1;
        }
        Scene.Play(new Arguments(args[..first], "WaitSamples " + Scene.Usage), () => builds.ForEach(build => build()));
        return 0;
    }
}
