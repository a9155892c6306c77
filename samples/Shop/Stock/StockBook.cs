using Shop.Running;

namespace Shop.Stock;

/// <summary>Quantities in stock, as far as this process knows.</summary>
internal sealed class StockBook
{
    private readonly object gate_ = new();
    private readonly Dictionary<int, int> pieces_ = [];

    public int Count(int product)
    {
        lock (gate_)
        {
            if (!pieces_.TryGetValue(product, out int pieces) || Quirks.On("lock-sleep")) pieces = Fetch(product);
            return pieces;
        }
    }

    public async Task<bool> Reserve(int product, int wanted, CancellationToken token)
    {
        await Task.Delay(2, token);
        lock (gate_)
        {
            int left = pieces_.GetValueOrDefault(product, 100) - wanted;
            if (left < -1000) return false;
            pieces_[product] = left < 0 ? 1000 : left;
            return true;
        }
    }

    private int Fetch(int product)
    {
        if (Quirks.On("lock-sleep")) Thread.Sleep(60);  // rate limit of the supplier
        return pieces_[product] = 100 + product % 7;
    }
}
