using System.Threading.Channels;

namespace Shop.Orders;

internal sealed record PlacedOrder(int Id, int Customer, DateTime Placed);

/// <summary>Orders on their way from the web to the worker.</summary>
internal sealed class OrderQueue
{
    private const int kMost = 256;

    private readonly Channel<PlacedOrder> channel_ = Channel.CreateBounded<PlacedOrder>(
        new BoundedChannelOptions(kMost) { FullMode = BoundedChannelFullMode.Wait, SingleReader = true });

    public ValueTask Add(PlacedOrder order, CancellationToken token) => channel_.Writer.WriteAsync(order, token);
    public IAsyncEnumerable<PlacedOrder> All(CancellationToken token) => channel_.Reader.ReadAllAsync(token);
}
