using System.Runtime.CompilerServices;

namespace Samples;

/// <summary>
/// A thread of a sample that ends up waiting for good. It commits itself right before: whatever it
/// waits for from then on is the wait that the sample wants.
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

    // Never inlined: once the JIT has optimized its caller, late threads would be started elsewhere.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Actor Start(string name, Action<Actor> play, bool isBackground = true)
    {
        var actor = new Actor(name, play, isBackground);
        actor.thread_.Start();
        return actor;
    }

    public void Commit() => isCommitted_ = true;

    /// <summary>After committing itself, a thread only runs or waits.</summary>
    public bool IsBlocked => isCommitted_ && (thread_.ThreadState & ThreadState.WaitSleepJoin) != 0;

    public static void AwaitBlocked(IEnumerable<Actor> actors)
    {
        foreach (Actor actor in actors) Until(() => actor.IsBlocked);
    }

    public static void Until(Func<bool> condition)
    {
        while (!condition()) Thread.Sleep(1);
    }

    /// <summary>Placed after a wait that must never end.</summary>
    public static void Never() => throw new InvalidOperationException("The deadlock was none.");
}
