// Threads that work at the same time, in waves: each wave starts new ones.
using System.Runtime.CompilerServices;
using Samples;

namespace ManyThreads;

internal static class Program
{
    public const string Usage =
        "ManyThreads [--threads N] [--ms N] [--waves N] [--storm SECONDS | --faults]\n" +
        "            [--library FILE [--calls N] [--then FILE]]\n" +
        "  --threads N  that work at the same time (default 16)\n" +
        "  --ms N       CPU time of each (default 300)\n" +
        "  --waves N    how often that many threads begin and end (default 1)\n" +
        "  --storm SECONDS  exceptions, native calls, collections and new threads on all of them instead\n" +
        "  --faults     use null references all the time instead of computing\n" +
        "  --library FILE  call that library in Go, each N times (default 400); --then: once FILE exists\n";

    private static ulong sink_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        if (arguments.Number("storm", 0) is > 0 and int seconds)
        {
            Storm.Rage(arguments.Number("threads", 16), seconds);
            return;
        }
        if (arguments.Text("library") is { } library)
        {
            Goroutines.Run(library, arguments.Number("threads", 16), arguments.Number("calls", 400),
                           arguments.Text("then"));
            return;
        }
        int milliseconds = arguments.Number("ms", 300);
        if (arguments.Has("faults"))
        {
            Faults.Raise(arguments.Number("threads", 16), milliseconds);
            return;
        }
        for (int wave = arguments.Number("waves", 1); wave > 0; wave--)
        {
            Crowd.Run(arguments.Number("threads", 16), "worker", () => Run(milliseconds));
        }
    }

    private static void Run(int milliseconds)
    {
        var budget = new CpuBudget(milliseconds);
        ulong x = 1;
        while (budget.IsLeft) x = Step(x);
        Volatile.Write(ref sink_, x);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Step(ulong x)
    {
        for (int i = 0; i < 100_000; i++) x = x * 6364136223846793005 + 1442695040888963407;
        return x;
    }
}
