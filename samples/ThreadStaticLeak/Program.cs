// Long-lived threads that keep what each once stored in its own thread static.
using Samples;

namespace ThreadStaticLeak;

internal static class Program
{
    private const int kThreads = 8;
    private const int kEntriesOfAThread = 2_500;

    [ThreadStatic] private static List<Entry>? scratch_;

    private static readonly CountdownEvent built_ = new(kThreads);
    private static object[]? lists_;  // only for the log
    private static int started_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "ThreadStaticLeak " + Stay.Usage);
        if (arguments.Has("self-log")) lists_ = new object[kThreads];
        for (int i = 0; i < kThreads; i++)
        {
            new Thread(new ThreadStart(Work)) { IsBackground = true, Name = $"worker-{i}" }.Start();
        }
        built_.Wait();
        Stay.UntilTheEnd(arguments, [], lists_ ?? new object[0]);
    }

    private static void Work()
    {
        Fill();
        if (lists_ != null) lists_[Interlocked.Increment(ref started_) - 1] = scratch_!;
        built_.Signal();
        Thread.Sleep(Timeout.Infinite);
    }

    private static void Fill()
    {
        scratch_ = new List<Entry>();
        for (int i = 0; i < kEntriesOfAThread; i++) scratch_.Add(new Entry(i));
    }
}

internal sealed class Entry(int number)
{
    private readonly int[] values_ = new int[20 + number % 2];
    public int First => values_[0];
}
