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
    private const string kLoader = "loader";

    public static Task<int> Count { get; } = new(CountPrices);

    public static void Build()
    {
        Actor.AwaitBlocked([Actor.Start("first", UsePrices)]);
        Actor.Start(kLoader, Load);
        Actor.Until(() => Sleeps(kLoader));
    }

    private static void UsePrices(Actor actor)
    {
        actor.Commit();
        GC.KeepAlive(Prices.Count);
    }

    private static void Load(Actor actor) => Count.RunSynchronously();

    private static int CountPrices() => Prices.Count;

    // ThreadState does not show waits for the runtime's own locks: the kernel does. A thread that
    // loads code may sleep, too, but not for long.
    private static bool Sleeps(string name)
    {
        string? thread = Directory.GetDirectories("/proc/self/task").FirstOrDefault(
            folder => File.ReadAllText(folder + "/comm").TrimEnd() == name);
        if (thread == null) return false;
        for (int look = 0; look < 100; look++)
        {
            if (!File.ReadAllText(thread + "/stat").Contains($"({name}) S ")) return false;
            Thread.Sleep(1);
        }
        return true;
    }
}
