using System.Collections.Concurrent;
using Shop.Running;

namespace Shop.Baskets;

internal sealed class Basket(string session)
{
    public string Session { get; } = session;
    public List<int> Products { get; } = [];
    public DateTime Seen { get; private set; } = DateTime.UtcNow;

    public void Touch() => Seen = DateTime.UtcNow;
}

/// <summary>Reminds the customer of an abandoned basket.</summary>
internal sealed class Reminder : IDisposable
{
    private readonly Basket basket_;
    private readonly byte[] letter_ = new byte[25_000];
    private readonly Timer timer_;

    public Reminder(Basket basket)
    {
        basket_ = basket;
        timer_ = new Timer(_ => Look(), null, TimeSpan.FromHours(1), TimeSpan.FromHours(1));
    }

    public int Sent { get; private set; }

    public void Dispose() => timer_.Dispose();

    private void Look()
    {
        if (DateTime.UtcNow - basket_.Seen > TimeSpan.FromHours(2)) Sent += letter_.Length;
    }
}

/// <summary>Today's baskets: the most recently used ones.</summary>
internal sealed class BasketTable
{
    private const int kMost = 50;

    private readonly ConcurrentDictionary<string, (Basket Basket, Reminder Reminder)> table_ = new();
    private readonly ConcurrentQueue<string> order_ = new();

    public Basket Of(string session)
    {
        if (table_.TryGetValue(session, out var known))
        {
            known.Basket.Touch();
            return known.Basket;
        }
        var basket = new Basket(session);
        if (table_.TryAdd(session, (basket, new Reminder(basket)))) order_.Enqueue(session);
        while (order_.Count > kMost && order_.TryDequeue(out string? oldest)) Forget(oldest);
        return basket;
    }

    private void Forget(string session)
    {
        if (table_.TryRemove(session, out var old) && !Quirks.On("timer")) old.Reminder.Dispose();
    }
}
