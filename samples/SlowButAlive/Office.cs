using Samples;

namespace SlowButAlive;

/// <summary>Tasks: long delays, a semaphore with slow holders, threads that block on running
/// tasks.</summary>
internal sealed class Office
{
    private const int kHoldMs = 100;

    private readonly SemaphoreSlim desks_ = new(2);
    private readonly CancellationTokenSource over_ = new();
    private readonly List<Task> clerks_ = new();
    private readonly List<Thread> clients_ = new();
    private long letters_;

    public bool IsBusy => Interlocked.Read(ref letters_) >= 4 && desks_.CurrentCount == 0;

    public void Open()
    {
        for (int i = 0; i < 6; i++) clerks_.Add(WriteLetters());
        clerks_.Add(WaitForTheEvening());
        Task computed = Task.Factory.StartNew(Compute, TaskCreationOptions.LongRunning);
        Task evening = WaitForTheEvening();
        foreach (Task awaited in new[] { computed, evening })
        {
            var client = new Thread(() => awaited.Wait()) { IsBackground = true, Name = "client" };
            clients_.Add(client);
            client.Start();
        }
    }

    public string? Close()
    {
        over_.Cancel();
        Task.WaitAll(clerks_.ToArray());
        clients_.ForEach(client => client.Join());
        return desks_.CurrentCount == 2 ? null : "a desk is lost";
    }

    private async Task WriteLetters()
    {
        while (!over_.IsCancellationRequested)
        {
            await desks_.WaitAsync();
            await Task.Delay(kHoldMs);
            Interlocked.Increment(ref letters_);
            desks_.Release();
        }
    }

    // A timer will end it.
    private async Task WaitForTheEvening()
    {
        Task hours = Task.Delay(TimeSpan.FromHours(8), over_.Token);
        await Task.WhenAny(hours);
    }

    private void Compute()
    {
        while (!over_.IsCancellationRequested) Thread.Sleep(1);
    }
}
