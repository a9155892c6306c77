// Locks and handles of every kind that are held while others wait, and released in the end: nothing
// here is a deadlock, whatever is on the threads' stacks.
using Samples;

namespace SlowHandles;

internal static class Program
{
    public const string Usage = "SlowHandles\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, Build);
    }

    public static void Build()
    {
        var shift = new Shift();
        Desk[] desks =
        [
            new Mutexes(shift), new NamedMutexes(shift), new Chain(shift), new Semaphores(shift),
            new SlimSemaphores(shift), new ReadersAndWriters(shift), new OldReadersAndWriters(shift), new Signalled(shift),
            new Meetings(shift),
        ];
        foreach (Desk desk in desks) desk.Open();
        shift.AwaitBlocked();
        Scene.AtTheEnd(shift.Close);
    }
}

/// <summary>All threads of the sample, and the end of their waits.</summary>
internal sealed class Shift
{
    private readonly List<Thread> threads_ = new();
    private volatile bool isOver_;
    private int ended_;

    public ManualResetEvent Evening { get; } = new(false);

    public void Start(string name, Action work)
    {
        var thread = new Thread(() =>
        {
            work();
            Interlocked.Increment(ref ended_);
        }, 256 << 10) { Name = name, IsBackground = true };
        threads_.Add(thread);
        thread.Start();
        Actor.Until(() => IsBlocked(thread));
    }

    // One by one: threads that sleep repeatedly may never all sleep at the same moment.
    public void AwaitBlocked() => threads_.ForEach(thread => Actor.Until(() => IsBlocked(thread)));

    public void Sleep()
    {
        while (!isOver_) Thread.Sleep(20);
    }

    public string? Close()
    {
        isOver_ = true;
        Evening.Set();
        threads_.ForEach(thread => thread.Join());
        return ended_ == threads_.Count ? null : "a thread did not come back";
    }

    private static bool IsBlocked(Thread thread) => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0;
}

internal abstract class Desk(Shift shift)
{
    protected Shift Shift { get; } = shift;

    public abstract void Open();
}

/// <summary>One holder sleeps, one waits for a signal; others wait for the mutexes in every way.</summary>
internal class Mutexes : Desk
{
    private readonly Mutex file_, phone_;
    private readonly ManualResetEvent spare_ = new(false);

    public Mutexes(Shift shift) : this(shift, new Mutex(), new Mutex()) { }

    protected Mutexes(Shift shift, Mutex file, Mutex phone) : base(shift) => (file_, phone_) = (file, phone);

    // .NET on Unix can wait for only one named mutex at a time.
    protected virtual bool AreNamed => false;

    public override void Open()
    {
        Shift.Start("file-keeper", KeepFile);
        Shift.Start("phone-keeper", () => KeepPhone(phone_));
        for (int i = 0; i < 3; i++) Shift.Start("file-waiter", WantFile);
        for (int i = 0; i < 3; i++) Shift.Start("phone-waiter", () => WantPhone(phone_));
        if (AreNamed) return;
        Shift.Start("either-waiter", WantEither);
        Shift.Start("both-waiter", WantBoth);
    }

    private void KeepFile()
    {
        file_.WaitOne();
        Shift.Sleep();
        file_.ReleaseMutex();
    }

    // It waits for something else, with the mutex on its stack.
    private void KeepPhone(Mutex phone)
    {
        phone.WaitOne();
        try
        {
            Shift.Evening.WaitOne();
        }
        finally
        {
            phone.ReleaseMutex();
        }
    }

    private void WantFile()
    {
        file_.WaitOne();
        file_.ReleaseMutex();
    }

    private void WantPhone(Mutex phone)
    {
        phone.WaitOne();
        try
        {
            Thread.Sleep(1);
        }
        finally
        {
            phone.ReleaseMutex();
        }
    }

    private void WantEither()
    {
        if (WaitHandle.WaitAny([spare_, file_]) == 1) file_.ReleaseMutex();
    }

    private void WantBoth()
    {
        WaitHandle.WaitAll([file_, Shift.Evening]);
        file_.ReleaseMutex();
    }
}

/// <summary>The same, visible to the whole machine.</summary>
internal sealed class NamedMutexes(Shift shift) : Mutexes(shift, Named("file"), Named("phone"))
{
    protected override bool AreNamed => true;

    private static Mutex Named(string name) => new(false, $"hindsight-slow-{Environment.ProcessId}-{name}");
}

/// <summary>The holder of the first waits for the second, and the holder of the second
/// sleeps.</summary>
internal sealed class Chain(Shift shift) : Desk(shift)
{
    public override void Open()
    {
        var first = new Mutex();
        var second = new Mutex();
        Shift.Start("second-keeper", () => Keep(second));
        Shift.Start("first-keeper", () => KeepAndWant(first, second));
        for (int i = 0; i < 2; i++) Shift.Start("first-waiter", () => Pass(first));
    }

    private void Keep(Mutex mutex)
    {
        mutex.WaitOne();
        Shift.Sleep();
        mutex.ReleaseMutex();
    }

    private static void KeepAndWant(Mutex first, Mutex second)
    {
        first.WaitOne();
        second.WaitOne();
        second.ReleaseMutex();
        first.ReleaseMutex();
    }

    private static void Pass(Mutex mutex)
    {
        mutex.WaitOne();
        mutex.ReleaseMutex();
    }
}

internal sealed class Semaphores(Shift shift) : Desk(shift)
{
    private readonly Semaphore rooms_ = new(1, 1);

    public override void Open()
    {
        Shift.Start("room-keeper", Keep);
        for (int i = 0; i < 3; i++) Shift.Start("room-waiter", Pass);
    }

    private void Keep()
    {
        rooms_.WaitOne();
        Shift.Evening.WaitOne();
        rooms_.Release();
    }

    private void Pass()
    {
        rooms_.WaitOne();
        rooms_.Release();
    }
}

internal sealed class SlimSemaphores(Shift shift) : Desk(shift)
{
    private readonly SemaphoreSlim cars_ = new(1, 1);

    public override void Open()
    {
        Shift.Start("car-keeper", Keep);
        for (int i = 0; i < 3; i++) Shift.Start("car-waiter", Pass);
    }

    private void Keep()
    {
        cars_.Wait();
        Shift.Evening.WaitOne();
        cars_.Release();
    }

    private void Pass()
    {
        cars_.Wait();
        cars_.Release();
    }
}

internal sealed class ReadersAndWriters(Shift shift) : Desk(shift)
{
    private readonly ReaderWriterLockSlim plan_ = new();

    public override void Open()
    {
        Shift.Start("plan-reader", Read);
        for (int i = 0; i < 2; i++) Shift.Start("plan-writer", Write);
    }

    private void Read()
    {
        plan_.EnterReadLock();
        Shift.Evening.WaitOne();
        plan_.ExitReadLock();
    }

    private void Write()
    {
        plan_.EnterWriteLock();
        plan_.ExitWriteLock();
    }
}

/// <summary>The predecessor of ReaderWriterLockSlim.</summary>
internal sealed class OldReadersAndWriters(Shift shift) : Desk(shift)
{
    private readonly ReaderWriterLock plan_ = new();

    public override void Open()
    {
        Shift.Start("old-writer", Keep);
        for (int i = 0; i < 2; i++) Shift.Start("old-reader", Read);
    }

    private void Keep()
    {
        plan_.AcquireWriterLock(Timeout.Infinite);
        Shift.Sleep();
        plan_.ReleaseWriterLock();
    }

    private void Read()
    {
        plan_.AcquireReaderLock(Timeout.Infinite);
        plan_.ReleaseReaderLock();
    }
}

internal sealed class Signalled(Shift shift) : Desk(shift)
{
    public override void Open()
    {
        for (int i = 0; i < 3; i++) Shift.Start("signal-waiter", () => Shift.Evening.WaitOne());
    }
}

/// <summary>A countdown of which one is missing, and a pulse, until the shift is over.</summary>
/// <remarks>No barrier: those who wait at one wake up again and again.</remarks>
internal sealed class Meetings(Shift shift) : Desk(shift)
{
    private readonly CountdownEvent guests_ = new(3);
    private readonly object bell_ = new();
    private bool isRung_;

    public override void Open()
    {
        guests_.Signal(2);
        Shift.Start("host", AwaitGuests);
        Shift.Start("waiter", AwaitTheBell);
        Shift.Start("latecomer", Come);
    }

    private void AwaitGuests() => guests_.Wait();

    private void AwaitTheBell()
    {
        lock (bell_)
        {
            while (!isRung_) Monitor.Wait(bell_);
        }
    }

    private void Come()
    {
        Shift.Sleep();
        guests_.Signal();
        lock (bell_)
        {
            isRung_ = true;
            Monitor.Pulse(bell_);
        }
    }
}
