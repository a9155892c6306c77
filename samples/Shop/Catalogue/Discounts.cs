using System.Diagnostics;
using Shop.Running;

namespace Shop.Catalogue;

/// <summary>Customers' discounts. Queried for each price, updated with each order.</summary>
internal sealed class Discounts
{
    private readonly object gate_ = new();
    private readonly int[] percent_ = new int[1024];
    private long orders_;

    public int Quote(int cents, int product)
    {
        lock (gate_)
        {
            if (Quirks.On("lock-two-paths")) Recount(product);
            return cents - cents * percent_[product % percent_.Length] / 100;
        }
    }

    public void Ordered(int product, int pieces)
    {
        lock (gate_)
        {
            if (Quirks.On("lock-two-paths")) Recount(product);
            orders_ += pieces;
            percent_[product % percent_.Length] = pieces > 10 ? 5 : 0;
        }
    }

    // Takes a third of a second per second of load: too long under a lock.
    private void Recount(int product)
    {
        long until = Stopwatch.GetTimestamp() + Stopwatch.Frequency * 18 / 1000;
        int sum = 0;
        while (Stopwatch.GetTimestamp() < until)
        {
            foreach (int percent in percent_) sum += percent ^ product;
        }
        percent_[0] = sum & 1;
    }
}
