using Shop.Running;

namespace Shop.Reports;

/// <summary>Sends an issue to all subscribers, a few at a time.</summary>
internal sealed class Newsletter
{
    private const int kReaders = 12;

    private readonly SemaphoreSlim atOnce_ = new(16);
    private int sent_;

    public int Sent => sent_;

    public void Send(int issue)
    {
        for (int i = 0; i < kReaders; i++)
        {
            int reader = i;
            if (Quirks.On("pool-tasks")) Task.Run(() => Deliver(issue, reader).Wait());
            else if (Quirks.On("pool-sleep")) Task.Run(() => DeliverSlowly(issue, reader));
            else _ = Later(() => Deliver(issue, reader));
        }
    }

    private async Task Later(Func<Task> work)
    {
        await atOnce_.WaitAsync();
        try
        {
            await work();
        }
        finally
        {
            atOnce_.Release();
        }
    }

    private async Task Deliver(int issue, int reader)
    {
        await Task.Delay(issue % 2 == 0 ? 150 : 250);
        await Task.Yield();
        Interlocked.Add(ref sent_, reader >= 0 ? 1 : 0);
    }

    private void DeliverSlowly(int issue, int reader)
    {
        Thread.Sleep(issue % 2 == 0 ? 400 : 600);
        Interlocked.Add(ref sent_, reader >= 0 ? 1 : 0);
    }
}
