using System.Collections.Concurrent;
using Microsoft.Extensions.Hosting;
using Shop.Running;

namespace Shop.Orders;

internal sealed record OrderKey(int Customer, long Minute, int Number, byte[] Digest);

/// <summary>Looks for orders placed twice by mistake; on a thread of its own.</summary>
internal sealed class DoubleOrders : IHostedService
{
    private const int kRemembered = 200;
    private const int kDigestBytes = 20_000;

    private readonly BlockingCollection<PlacedOrder> orders_ = new(1000);

    public int Found { get; private set; }

    public void Check(PlacedOrder order) => orders_.TryAdd(order);

    public Task StartAsync(CancellationToken token)
    {
        new Thread(Compare) { IsBackground = true, Name = "double orders" }.Start();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken token)
    {
        orders_.CompleteAdding();
        return Task.CompletedTask;
    }

    private void Compare()
    {
        var known = new Dictionary<(int, long), OrderKey>();
        foreach (PlacedOrder order in orders_.GetConsumingEnumerable())
        {
            bool all = Quirks.On("cache-local");
            var key = (order.Customer, all ? order.Id : order.Placed.Ticks / TimeSpan.TicksPerMinute);
            if (!known.TryAdd(key, new OrderKey(order.Customer, key.Item2, order.Id, new byte[kDigestBytes]))) Found++;
            if (!all && known.Count > kRemembered) known.Clear();
        }
    }
}
