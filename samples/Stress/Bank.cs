using System.Threading.Channels;

namespace Stress;

internal sealed class Account
{
    public long Sum;
}

internal sealed class Bank
{
    private const int kAccounts = 8;

    private readonly Account[] accounts_ = new Account[kAccounts];
    private readonly ReaderWriterLockSlim rates_ = new();
    private readonly SemaphoreSlim counters_ = new(2);
    private readonly Channel<int> letters_ = Channel.CreateBounded<int>(4);
    private readonly List<Thread> threads_ = new();
    private readonly List<Task> tasks_ = new();
#if NET9_0_OR_GREATER
    private readonly Lock book_ = new();
#else
    private readonly object book_ = new();
#endif
    private volatile bool isOver_;
    private long rounds_;

    public long Rounds => Interlocked.Read(ref rounds_);

    public void Open(int each)
    {
        for (int i = 0; i < kAccounts; i++) accounts_[i] = new Account();
        for (int i = 0; i < each; i++)
        {
            var random = new Random(i);
            threads_.Add(new Thread(() => Repeat(() => Transfer(random))) { Name = $"transfer-{i}" });
            threads_.Add(new Thread(() => Repeat(Rate)) { Name = $"rate-{i}" });
            threads_.Add(new Thread(() => Repeat(Block)) { Name = $"block-{i}" });
            tasks_.Add(Task.Run(Serve));
        }
        tasks_.Add(Task.Run(Write));
        tasks_.Add(Task.Run(Read));
        threads_.Add(new Thread(() => Repeat(StartAndJoin)) { Name = "start" });
        foreach (Thread thread in threads_)
        {
            thread.IsBackground = true;
            thread.Start();
        }
    }

    public string? Close()
    {
        isOver_ = true;
        threads_.ForEach(thread => thread.Join());
        Task.WaitAll(tasks_.ToArray());
        return accounts_.Sum(account => account.Sum) == 0 ? null : "money is lost";
    }

    private void Repeat(Action round)
    {
        while (!isOver_)
        {
            round();
            Interlocked.Increment(ref rounds_);
        }
    }

    // Two locks, the one with the lower number first.
    private void Transfer(Random random)
    {
        int from = random.Next(kAccounts - 1);
        int to = random.Next(from + 1, kAccounts);
        lock (accounts_[from])
        {
            lock (accounts_[to])
            {
                accounts_[from].Sum--;
                accounts_[to].Sum++;
                if (random.Next(50) == 0) Thread.Sleep(1);
            }
            lock (book_) Thread.SpinWait(100);
        }
    }

    private void Rate()
    {
        rates_.EnterUpgradeableReadLock();
        rates_.EnterWriteLock();
        rates_.ExitWriteLock();
        rates_.ExitUpgradeableReadLock();
        rates_.EnterReadLock();
        lock (book_) Thread.SpinWait(100);
        rates_.ExitReadLock();
    }

    // A thread blocks on a task that needs the pool, which has free threads.
    private void Block() => Count().Wait();

    private async Task Count()
    {
        await counters_.WaitAsync();
        await Task.Yield();
        counters_.Release();
    }

    private async Task Serve()
    {
        while (!isOver_)
        {
            await Count();
            Task both = Task.WhenAll(Count(), Count());
            await both;
            await Task.Delay(1);
        }
    }

    private async Task Write()
    {
        for (int i = 0; !isOver_; i++)
        {
            await letters_.Writer.WriteAsync(i);
            if (i % 16 == 0) await Task.Yield();
        }
        letters_.Writer.Complete();
    }

    private async Task Read()
    {
        await foreach (int letter in letters_.Reader.ReadAllAsync())
        {
            if (letter % 64 == 0) await Task.Delay(1);
        }
    }

    private void StartAndJoin()
    {
        var child = new Thread(() => Thread.SpinWait(1000));
        child.Start();
        child.Join();
        Thread.Sleep(5);
    }
}
