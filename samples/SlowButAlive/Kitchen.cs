using System.Collections.Concurrent;
using Samples;

namespace SlowButAlive;

/// <summary>Threads: locks held for long and in order, a slow producer, a wait for a
/// thread.</summary>
internal sealed class Kitchen
{
    private const int kHoldMs = 150;

    private readonly Stove stove_ = new();
    private readonly Oven oven_ = new();
    private readonly ReaderWriterLockSlim menu_ = new();
    private readonly BlockingCollection<int> dishes_ = new();
    private readonly Thread[] cooks_;
    private volatile bool isOver_;
    private long cooked_, served_;

    public Kitchen()
    {
        cooks_ =
        [
            Make("stew", Stew), Make("stew-2", Stew), Make("bake", Bake), Make("write-menu", WriteMenu),
            Make("read-menu", ReadMenu), Make("serve", Serve), Make("wait-for-chef", WaitForChef),
        ];
    }

    public bool IsBusy => Interlocked.Read(ref cooked_) >= 2 && Array.Exists(cooks_, IsWaiting);

    public void Open() => Array.ForEach(cooks_, cook => cook.Start());

    public string? Close()
    {
        isOver_ = true;
        Array.ForEach(cooks_, cook => cook.Join());
        return served_ > 0 && cooked_ == served_ + dishes_.Count ? null : "a dish is lost";
    }

    private static bool IsWaiting(Thread thread) => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0;

    private static Thread Make(string name, Action work) =>
        new(new ThreadStart(work)) { Name = name, IsBackground = true };

    // First the stove, then the oven: never the other way round.
    private void Stew()
    {
        while (!isOver_)
        {
            lock (stove_)
            {
                lock (oven_) Thread.Sleep(kHoldMs);
                dishes_.Add(1);
                Interlocked.Increment(ref cooked_);
            }
        }
    }

    private void Bake()
    {
        while (!isOver_)
        {
            lock (oven_) Thread.Sleep(kHoldMs);
        }
    }

    private void WriteMenu()
    {
        while (!isOver_)
        {
            menu_.EnterWriteLock();
            lock (oven_) Thread.Sleep(kHoldMs / 10);
            menu_.ExitWriteLock();
        }
    }

    private void ReadMenu()
    {
        while (!isOver_)
        {
            menu_.EnterReadLock();
            Thread.Sleep(kHoldMs / 10);
            menu_.ExitReadLock();
        }
    }

    private void Serve()
    {
        while (!isOver_)
        {
            if (dishes_.TryTake(out int _, 2 * kHoldMs)) served_++;
        }
    }

    private void WaitForChef()
    {
        var chef = new Thread(Cook) { Name = "chef", IsBackground = true };
        chef.Start();
        chef.Join();
    }

    private void Cook()
    {
        double taste = 1;
        while (!isOver_)
        {
            for (int i = 0; i < 10_000; i++) taste = Math.Sqrt(taste + i);
            Thread.Sleep(1);
        }
    }
}

internal sealed class Stove;

internal sealed class Oven;
