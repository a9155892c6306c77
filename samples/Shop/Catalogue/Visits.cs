using Shop.Running;

namespace Shop.Catalogue;

internal sealed class Visit
{
    public required string Session { get; init; }
    public List<ProductCard> Seen { get; } = [];
    public long[] Minutes { get; } = new long[1200];
}

/// <summary>What sessions have viewed; the last hundred of them.</summary>
internal sealed class Visits
{
    private const int kSessions = 100;

    private readonly Dictionary<string, Visit> bySession_ = [];
    private readonly Queue<string> order_ = new();
    private readonly object gate_ = new();

    public void Note(string session, ProductCard card)
    {
        lock (gate_)
        {
            if (!bySession_.TryGetValue(session, out Visit? visit))
            {
                bySession_[session] = visit = new Visit { Session = session };
                order_.Enqueue(session);
            }
            visit.Seen.Add(card);
            if (order_.Count > kSessions && !Quirks.On("cache-container")) bySession_.Remove(order_.Dequeue());
        }
    }
}
