namespace Samples;

/// <summary>
/// A thread of a sample that comes to wait for good. It commits itself right before: whatever it
/// waits for from then on is what the sample wants it to wait for.
/// </summary>
internal sealed class Actor
{
    private const int kStackBytes = 128 << 10;

    private readonly Thread thread_;
    private volatile bool isCommitted_;

    private Actor(string name, Action<Actor> play, bool isBackground)
    {
        thread_ = new Thread(() => play(this), kStackBytes) { Name = name, IsBackground = isBackground };
    }

    public static Actor Start(string name, Action<Actor> play, bool isBackground = true)
    {
        var actor = new Actor(name, play, isBackground);
        actor.thread_.Start();
        return actor;
    }

    public void Commit() => isCommitted_ = true;

    /// <summary>After it has committed itself a thread runs or waits, and it does nothing but that.</summary>
    public bool IsBlocked => isCommitted_ && (thread_.ThreadState & ThreadState.WaitSleepJoin) != 0;

    public static void AwaitBlocked(IEnumerable<Actor> actors)
    {
        foreach (Actor actor in actors) Until(() => actor.IsBlocked);
    }

    public static void Until(Func<bool> condition)
    {
        while (!condition()) Thread.Sleep(1);
    }

    /// <summary>What stands behind a wait that never ends.</summary>
    public static void Never() => throw new InvalidOperationException("The deadlock was none.");
}
