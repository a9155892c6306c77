// An application with unusual surroundings: children of every kind, stacks of a few KiB, thousands of
// threads. All of them use CPU time, so that a recorder has something to sample everywhere. It prints
// its results, which must be the same with and without a recorder.
using System.Runtime.CompilerServices;
using Samples;

namespace Surroundings;

internal static class Program
{
    public const string Usage =
        "Surroundings [--children N] [--stacks N] [--threads N]\n" +
        "  --children N  started by each of four threads, by vfork, fork and posix_spawn (default 8)\n" +
        "  --stacks N    threads with stacks of each of 2 to 64 KiB (default 4)\n" +
        "  --threads N   alive at the same time (default 200)\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        Console.WriteLine(Children.Start(arguments.Number("children", 8)));
        Console.WriteLine(SmallStacks(arguments.Number("stacks", 4)));
        Console.WriteLine(Crowd(arguments.Number("threads", 200)));
    }

    private static int computed_;

    /// <summary>Exceptions, and compiling, would need more stack than the smallest have.</summary>
    private static string SmallStacks(int each)
    {
        // With AVX-512, a collection of .NET 8 alone overflows a stack of 16 KiB, which is the least
        // that a thread gets: without a recorder, in 3 of 14 runs with collections all the time.
        int[] kibs = Environment.Version.Major == 8 ? [32, 40, 48, 64, 96, 128] : [2, 4, 8, 16, 32, 64];
        Run(1024);  // compiles everything
        computed_ = 0;
        List<Thread> threads = kibs.SelectMany(kib => Enumerable.Repeat(kib, each)).Select(Start).ToList();
        threads.ForEach(thread => thread.Join());
        return $"{computed_} of {kibs.Length * each} threads with small stacks computed";

        static void Run(int kib) => Start(kib).Join();

        static Thread Start(int kib)
        {
            var thread = new Thread(Work, kib * 1024) { Name = $"small-{kib}" };
            thread.Start();
            return thread;
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Work()
    {
        Compute(30);
        Interlocked.Increment(ref computed_);
    }

    private static string Crowd(int count)
    {
        using var allAlive = new CountdownEvent(count);
        using var mayEnd = new ManualResetEventSlim();
        int ended = 0;
        List<Thread> threads = Enumerable.Range(0, count).Select(i => new Thread(() =>
        {
            Compute(2);
            allAlive.Signal();
            mayEnd.Wait();
            Interlocked.Increment(ref ended);
        }, 128 * 1024) { Name = $"one-of-many-{i}" }).ToList();
        threads.ForEach(thread => thread.Start());
        allAlive.Wait();
        GC.Collect();
        mayEnd.Set();
        threads.ForEach(thread => thread.Join());
        return $"{ended} of {count} threads were alive at the same time";
    }

    /// <summary>Uses this much CPU time of the calling thread.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    internal static void Compute(int milliseconds)
    {
        for (var budget = new CpuBudget(milliseconds); budget.IsLeft;) Thread.SpinWait(20);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static bool Catches()
    {
        try
        {
            throw new InvalidOperationException("between children");
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }
}
