// Every request starts a thread that never ends.
using System.Runtime.CompilerServices;
using Samples;

namespace ThreadLeak;

internal static class Program
{
    public const string Usage =
        "ThreadLeak [--count N]\n" +
        "  --count N  requests (default 200)\n";

    private static readonly List<Actor> watchers_ = new();

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        for (int i = arguments.Number("count", 200); i > 0; i--) Handle(i);
        Actor.AwaitBlocked(watchers_);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Handle(int request) =>
        watchers_.Add(Actor.Start($"watch-{request}", new Watcher().Watch));
}

internal sealed class Watcher
{
    private readonly ManualResetEventSlim changed_ = new();

    // Never inlined: once the JIT has optimized its caller, late threads would have other stacks.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Watch(Actor actor)
    {
        actor.Commit();
        changed_.Wait();
    }
}
