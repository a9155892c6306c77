using System.Diagnostics;
using Shop.Running;

namespace Shop.Catalogue;

/// <summary>Who pays less for what. Asked for each price, told of each order.</summary>
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

    // A third of a second's worth of work for each second of the load: too long under a lock.
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
