using Samples;

namespace AsyncDeadlock;

/// <summary>A class constructor waits for a task that needs the class.</summary>
internal static class Prices
{
    private static readonly int count_;

    static Prices()
    {
        count_ = Loading.Count.Result;
        Actor.Never();
    }

    public static int Count => count_;
}

internal static class Loading
{
    private static volatile bool isCounting_;

    public static Task<int> Count { get; } = new(CountPrices);

    public static void Build()
    {
        Actor.AwaitBlocked([Actor.Start("first", UsePrices)]);
        Count.Start();
        Actor.Until(() => isCounting_ && WorkersSleep());
    }

    private static void UsePrices(Actor actor)
    {
        actor.Commit();
        GC.KeepAlive(Prices.Count);
    }

    private static int CountPrices()
    {
        isCounting_ = true;
        return Prices.Count;
    }

    // ThreadState does not show waits for the runtime's own locks: the kernel does. A thread that
    // compiles code may sleep, too, but not for long.
    private static bool WorkersSleep()
    {
        for (int look = 0; look < 100; look++)
        {
            if (Directory.GetDirectories("/proc/self/task").Any(IsRunningWorker)) return false;
            Thread.Sleep(1);
        }
        return true;
    }

    private static bool IsRunningWorker(string thread)
    {
        try
        {
            string status = File.ReadAllText(thread + "/stat");
            return status.Contains("(.NET TP Worker)") && !status.Contains(") S ");
        }
        catch (IOException)
        {
            return false;  // it has just ended
        }
    }
}
