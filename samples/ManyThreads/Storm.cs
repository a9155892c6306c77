using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Samples;

namespace ManyThreads;

/// <summary>
/// Everything that a signal may interrupt, at the same time: exceptions through several frames,
/// calls into libc, collections, and threads that start and end. Each thread checks its own
/// results.
/// </summary>
internal static class Storm
{
    private static readonly object kGate = new();
    private static long threads_;
    private static long throws_;
    private static long wrong_;

    [DllImport("libc", EntryPoint = "getppid")]
    private static extern int Parent();

    [DllImport("libc", EntryPoint = "labs")]
    private static extern nint Absolute(nint value);

    public static void Rage(int threads, int seconds)
    {
        DateTime end = DateTime.UtcNow.AddSeconds(seconds);
        var places = new Thread[threads];
        for (int i = 0; i < threads; i++)
        {
            int place = i;
            places[i] = new Thread(() => Keep(place, end)) { Name = $"place-{i}" };
            places[i].Start();
        }
        foreach (Thread thread in places) thread.Join();
        Scene.AtTheEnd(() => wrong_ == 0 && throws_ > 0 && threads_ >= threads
            ? null : $"{wrong_} wrong results, {throws_} throws, {threads_} threads");
    }

    /// <summary>One thread after the other.</summary>
    private static void Keep(int place, DateTime end)
    {
        for (int round = 0; DateTime.UtcNow < end; round++)
        {
            var thread = new Thread(() => Live(place * 31 + round));
            thread.Start();
            thread.Join();
            Interlocked.Increment(ref threads_);
        }
    }

    private static void Live(int seed)
    {
        var random = new Random(seed);
        var budget = new CpuBudget(random.Next(1, 60));
        int parent = Parent();
        while (budget.IsLeft)
        {
            int depth = random.Next(1, 30);
            int caught = 0;
            try
            {
                Dive(depth, ref caught);
            }
            catch (InvalidOperationException e)
            {
                caught = e.Message.Length;
            }
            Expect(caught == depth);
            for (int i = 0; i < 100; i++) Expect(Absolute(-i) == i);
            Expect(Parent() == parent);
            string[] words = Enumerable.Range(0, random.Next(1, 200)).Select(i => i.ToString()).ToArray();
            Expect(int.Parse(words[^1]) == words.Length - 1);
            if (random.Next(200) == 0) GC.Collect(random.Next(3));
            lock (kGate) Thread.Yield();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Dive(int depth, ref int caught)
    {
        try
        {
            if (caught < depth)
            {
                caught++;
                Dive(depth, ref caught);
            }
            Interlocked.Increment(ref throws_);
            throw new InvalidOperationException(new string('x', depth));
        }
        catch (InvalidOperationException) when (caught < 0)
        {
            Expect(false);
        }
    }

    private static void Expect(bool right)
    {
        if (!right) Interlocked.Increment(ref wrong_);
    }
}
