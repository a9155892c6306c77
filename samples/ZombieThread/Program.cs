// Threads that nobody will ever wake: their owner, the only one that could, is gone.
using Samples;

namespace ZombieThread;

internal static class Program
{
    public const string Usage =
        "ZombieThread [--count N] [--ending]\n" +
        "  --count N  threads (default 8)\n" +
        "  --ending   foreground threads; the main thread returns, and they keep the process\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        bool isEnding = arguments.Has("ending");
        var all = new List<Actor>();
        for (int i = arguments.Number("count", 8); i > 0; i--) all.Add(new Feed(i).Open(isBackground: !isEnding));
        Actor.AwaitBlocked(all);
        GC.Collect();  // the feeds
        if (isEnding) Scene.EndMainThread();
    }
}

/// <summary>Has a thread that reads until Dispose, which nobody calls.</summary>
internal sealed class Feed(int number) : IDisposable
{
    private readonly Inbox inbox_ = new();

    public Actor Open(bool isBackground)
    {
        Inbox inbox = inbox_;
        return Actor.Start($"feed-{number}", inbox.Read, isBackground);
    }

    public void Dispose() => inbox_.Close();
}

internal sealed class Inbox
{
    private readonly AutoResetEvent arrived_ = new(false);
    private volatile bool isClosed_;

    public void Read(Actor actor)
    {
        while (!isClosed_)
        {
            actor.Commit();
            arrived_.WaitOne();
        }
    }

    public void Close()
    {
        isClosed_ = true;
        arrived_.Set();
    }
}
