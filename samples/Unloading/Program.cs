// Code that is loaded and unloaded: collectible contexts, assemblies that are built and dropped,
// dynamic methods, compiled expressions and regular expressions, on several threads at once. A
// recorder sees ids of code that is being unloaded.
using System.Diagnostics;
using Samples;

namespace Unloading;

internal static class Program
{
    private const string kUsage =
        "Unloading [--seconds N] [--threads N] [--end FILE]\n" +
        "  until the time is over (default 5) or FILE exists; N threads for each kind (default 1)";

    private static volatile bool over_;
    private static int wrong_;

    private static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        string? end = arguments.Text("end");
        int seconds = arguments.Number("seconds", end == null ? 5 : 86400);
        int threads = arguments.Number("threads", 1);

        var kinds = new Kind[]
        {
            new("contexts", Contexts.Round), new("assemblies", Emitted.Assembly),
            new("methods", Emitted.Method), new("expressions", Emitted.Expression),
            new("patterns", Emitted.Pattern),
        };
        var running = new List<Thread>();
        foreach (Kind kind in kinds)
        {
            for (int i = 0; i < threads; i++) running.Add(Start(kind.Name, () => Run(kind)));
        }
        running.Add(Start("collector", Collect));

        Console.WriteLine("ready");
        var clock = Stopwatch.StartNew();
        while (clock.Elapsed.TotalSeconds < seconds && !(end != null && File.Exists(end))) Thread.Sleep(5);
        over_ = true;
        foreach (Thread thread in running) thread.Join();
        bool unloaded = Contexts.AllAreUnloaded();
        foreach (Kind kind in kinds)
        {
            Console.WriteLine($"{kind.Name}: {kind.Rounds}");
            if (kind.Rounds == 0) wrong_++;
        }
        Console.WriteLine(unloaded ? "everything was unloaded" : "something was not unloaded");
        Console.WriteLine(wrong_ == 0 ? "all rounds are done" : $"{wrong_} rounds went wrong");
        Environment.Exit(wrong_ == 0 && unloaded ? 0 : 1);
    }

    private sealed class Kind(string name, Func<int, bool> round)
    {
        public readonly string Name = name;
        public readonly Func<int, bool> Round = round;
        public int Rounds;
    }

    private static Thread Start(string name, ThreadStart work)
    {
        var thread = new Thread(work) { Name = name, IsBackground = true };
        thread.Start();
        return thread;
    }

    private static void Run(Kind kind)
    {
        for (int seed = 1; !over_ || kind.Rounds == 0; seed++)
        {
            if (kind.Round(seed)) Interlocked.Increment(ref kind.Rounds);
            else Interlocked.Increment(ref wrong_);
        }
    }

    // Unused code is unloaded by a collection and its finalizers.
    private static void Collect()
    {
        while (!over_)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Thread.Sleep(1);
        }
    }
}
