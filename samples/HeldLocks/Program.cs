// Locks in every possible state, and no deadlock: a snapshot must show who holds each one and who
// waits.
using Samples;

namespace HeldLocks;

internal static class Program
{
    public const string Usage = "HeldLocks\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, Build);
    }

    public static void Build()
    {
        var all = new List<Actor>();
        var thin = new Thin();
        all.Add(Actor.Start("thin-holder", thin.Hold));
        var crowded = new Crowded();
        all.Add(Actor.Start("crowd-holder", crowded.Hold));
        Actor.AwaitBlocked(all);
        all.Add(Actor.Start("crowd-waiter", crowded.Enter));
        var pulsed = new Pulsed();
        all.Add(Actor.Start("pulse-waiter", pulsed.Await));
#if NET9_0_OR_GREATER
        var locked = new Locked();
        all.Add(Actor.Start("lock-holder", locked.Hold));
        Scene.AtTheEnd(() => Kept(locked));
#endif
        var free = new Free();
        free.Use();
        Actor.AwaitBlocked(all);
        Scene.AtTheEnd(() => Kept(thin, crowded, pulsed, free));
    }

    private static string? Kept(params object[] objects) => objects.Contains(null!) ? "lost" : null;
}

/// <summary>Uncontended: the lock stays in the object's header.</summary>
internal sealed class Thin
{
    private readonly ManualResetEvent never_ = new(false);

    public void Hold(Actor actor)
    {
        lock (this)
        {
            lock (this)
            {
                lock (this)
                {
                    actor.Commit();
                    never_.WaitOne();
                }
            }
        }
    }
}

/// <summary>Contended.</summary>
internal sealed class Crowded
{
    private readonly ManualResetEvent never_ = new(false);

    public void Hold(Actor actor)
    {
        lock (this)
        {
            actor.Commit();
            never_.WaitOne();
        }
    }

    public void Enter(Actor actor)
    {
        actor.Commit();
        lock (this) Actor.Never();
    }
}

/// <summary>Waited on with Monitor.Wait; nobody holds it in the meantime.</summary>
internal sealed class Pulsed
{
    public void Await(Actor actor)
    {
        lock (this)
        {
            actor.Commit();
            Monitor.Wait(this);
        }
    }
}

/// <summary>Was waited on; it is free again, and remains in the runtime's table.</summary>
internal sealed class Free
{
    public void Use()
    {
        lock (this) Monitor.Wait(this, 1);
    }
}

#if NET9_0_OR_GREATER
internal sealed class Locked
{
    private readonly Lock gate_ = new();
    private readonly ManualResetEvent never_ = new(false);

    public void Hold(Actor actor)
    {
        lock (gate_)
        {
            actor.Commit();
            never_.WaitOne();
        }
    }
}
#endif
