using Samples;

namespace Deadlock;

#if NET9_0_OR_GREATER
using Gate = System.Threading.Lock;
#else
using Gate = System.Object;  // only so that the code compiles without such a lock
#endif

internal sealed class Account { public readonly Gate Gate = new(); }
internal sealed class Ledger { public readonly Gate Gate = new(); }
internal sealed class Stock { public readonly Gate Gate = new(); }
internal sealed class Audit { public readonly Gate Gate = new(); }
internal sealed class Journal { public readonly Gate Gate = new(); }

/// <summary>The locks, and the point at which every thread of the cycle has its first
/// lock.</summary>
internal sealed class Circle(int size)
{
    public readonly Account Account = new();
    public readonly Ledger Ledger = new();
    public readonly Stock Stock = new();
    public readonly Audit Audit = new();
    public readonly Journal Journal = new();
    private readonly CountdownEvent met_ = new(size);
    [ThreadStatic] private static Actor? actor_;

    public int Size { get; } = size;

    public void Take(Actor actor, Action<Circle> step)
    {
        actor_ = actor;
        step(this);
    }

    /// <summary>Waits until the others have their first lock.</summary>
    public void Meet()
    {
        met_.Signal();
        met_.Wait();
        actor_!.Commit();
    }

    /// <summary>The last thread of the cycle wants the first lock.</summary>
    public bool IsLast(int step) => step == Size - 1;
}
