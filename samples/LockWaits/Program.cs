// Waits of every kind that the source `locks` records, each a known number of times: a thread
// starts to wait, the sample observes that from outside, and only then provides what it waits for.
// At the end one thread waits for a monitor that the main thread never releases. Methods that wait are
// never inlined: once the JIT has optimized their callers, late waits would have other places.
using System.Reflection;
using System.Runtime.CompilerServices;
using Samples;

namespace LockWaits;

internal static class Program
{
    private const string kUsage =
        "LockWaits [--count N] [--hold MS] [--starve N]\n" +
        "  --count N   waits of each kind (default 20)\n" +
        "  --hold MS   how long each lasts at least (default 5)\n" +
        "  --starve N  block N work items of the pool for good, and queue as many behind them\n";

    private static readonly object monitor_ = new();
    private static readonly object pulsed_ = new();
    private static readonly ManualResetEvent event_ = new(false);
    private static readonly TaskCompletionSource never_ = new();
    private static TimeSpan hold_;

    private static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        hold_ = TimeSpan.FromMilliseconds(arguments.Number("hold", 5));
        Thread.CurrentThread.Name = "holder";
        Scene.Play(arguments, () => Build(arguments.Number("count", 20), arguments.Number("starve", 0)));
    }

    private static void Build(int count, int starve)
    {
        for (int i = 0; i < count; i++) Monitors();
#if NET9_0_OR_GREATER
        for (int i = 0; i < count; i++) Locks.Once();
#endif
        for (int i = 0; i < count; i++) Pulses();
        for (int i = 0; i < count; i++) Handles();
        for (int i = 0; i < count; i++) Tasks();
        Starve(starve);
        Monitor.Enter(monitor_);
        Begin("stuck", EnterMonitor);
    }

    private static void Monitors()
    {
        Thread waiter;
        lock (monitor_)
        {
            waiter = Begin("waiter", EnterMonitor);
            Hold();
        }
        waiter.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterMonitor()
    {
        lock (monitor_) { }
    }

    private static void Pulses()
    {
        Thread waiter = Begin("waiter", WaitForPulse);
        Hold();
        lock (pulsed_) Monitor.Pulse(pulsed_);
        waiter.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WaitForPulse()
    {
        lock (pulsed_) Monitor.Wait(pulsed_);
    }

    private static void Handles()
    {
        event_.Reset();
        Thread waiter = Begin("waiter", WaitForEvent);
        Hold();
        event_.Set();
        waiter.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WaitForEvent() => event_.WaitOne();

    private static void Tasks()
    {
        var source = new TaskCompletionSource();
        Thread waiter = Begin("waiter", () => WaitForTask(source.Task));
        // A wait for a task spins and sleeps first, so it might never block before the task is done.
        while (!Blocks(waiter, source.Task)) Thread.Sleep(1);
        Hold();
        source.SetResult();
        waiter.Join();
    }

    // The event that a thread waits on counts its waiters, once they no longer spin.
    private static bool Blocks(Thread waiter, Task task) =>
        continuation_.GetValue(task) is ManualResetEventSlim done && (int)waiters_.GetValue(done)! > 0 &&
        (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0;

    // What runs once a task is done. A thread that blocks on the task is woken by a continuation.
    private static readonly FieldInfo continuation_ =
        typeof(Task).GetField("m_continuationObject", BindingFlags.NonPublic | BindingFlags.Instance)!;
    private static readonly PropertyInfo waiters_ =
        typeof(ManualResetEventSlim).GetProperty("Waiters", BindingFlags.NonPublic | BindingFlags.Instance)!;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WaitForTask(Task task) => task.GetAwaiter().GetResult();

    private static void Starve(int count)
    {
        for (int i = 0; i < 2 * count; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_ => BlockOnTask(), null);
        }
    }

    private static void BlockOnTask() => never_.Task.Wait();

    // Returns the thread once it waits.
    internal static Thread Begin(string name, Action body)
    {
        var thread = new Thread(() => body()) { Name = name, IsBackground = true };
        thread.Start();
        while ((thread.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
        return thread;
    }

    internal static void Hold() => Thread.Sleep(hold_);
}

#if NET9_0_OR_GREATER
internal static class Locks
{
    private static readonly Lock lock_ = new();

    internal static void Once()
    {
        Thread waiter;
        using (lock_.EnterScope())
        {
            waiter = Program.Begin("waiter", EnterLock);
            Program.Hold();
        }
        waiter.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterLock()
    {
        using (lock_.EnterScope()) { }
    }
}
#endif
