// Reader-writer locks in a cycle: two writers that each want the other's lock, or a reader and a
// writer that block each other.
using Samples;

namespace ReaderWriterDeadlock;

internal static class Program
{
    public const string Usage =
        "ReaderWriterDeadlock [--way writers|reader]\n" +
        "  --way WAY  what stands in a circle (default writers)\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        Actor.AwaitBlocked(arguments.Text("way") == "reader" ? new Archive().Start() : new Warehouse().Start());
    }
}

/// <summary>Two writers.</summary>
internal sealed class Warehouse
{
    private readonly ReaderWriterLockSlim shelves_ = new();
    private readonly ReaderWriterLockSlim orders_ = new();
    private readonly CountdownEvent met_ = new(2);

    public Actor[] Start() => [Actor.Start("restock", Restock), Actor.Start("order", Order)];

    private void Restock(Actor actor)
    {
        shelves_.EnterWriteLock();
        Meet(actor);
        orders_.EnterReadLock();
        Actor.Never();
    }

    private void Order(Actor actor)
    {
        orders_.EnterWriteLock();
        Meet(actor);
        shelves_.EnterWriteLock();
        Actor.Never();
    }

    private void Meet(Actor actor)
    {
        met_.Signal();
        met_.Wait();
        actor.Commit();
    }
}

/// <summary>A reader, which is in no field of the lock, and a writer.</summary>
internal sealed class Archive
{
    private readonly ReaderWriterLockSlim pages_ = new();
    private readonly Index index_ = new();
    private readonly CountdownEvent met_ = new(2);

    public Actor[] Start() => [Actor.Start("read", Read), Actor.Start("write", Write)];

    private void Read(Actor actor)
    {
        pages_.EnterReadLock();
        Meet(actor);
        lock (index_) Actor.Never();
    }

    private void Write(Actor actor)
    {
        lock (index_)
        {
            Meet(actor);
            pages_.EnterWriteLock();
            Actor.Never();
        }
    }

    private void Meet(Actor actor)
    {
        met_.Signal();
        met_.Wait();
        actor.Commit();
    }
}

internal sealed class Index;
