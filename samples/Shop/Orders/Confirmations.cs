using System.Collections.Concurrent;
using Shop.Running;

namespace Shop.Orders;

/// <summary>Sends an e-mail when an order is confirmed.</summary>
internal sealed class Confirmations
{
    private readonly ConcurrentDictionary<int, TaskCompletionSource<DateTime>> waiting_ = new();
    private int sent_;

    public async Task<bool> SendWhenConfirmed(PlacedOrder order)
    {
        DateTime at = await ConfirmationOf(order.Id);
        return await Send(order, at);
    }

    public void Confirmed(int order)
    {
        if (Quirks.On("never-completed")) return;
        if (waiting_.TryRemove(order, out TaskCompletionSource<DateTime>? source)) source.TrySetResult(DateTime.UtcNow);
    }

    private Task<DateTime> ConfirmationOf(int order) =>
        waiting_.GetOrAdd(order, _ => new TaskCompletionSource<DateTime>(TaskCreationOptions.RunContinuationsAsynchronously)).Task;

    private async Task<bool> Send(PlacedOrder order, DateTime at)
    {
        await Task.Delay(5);
        Interlocked.Increment(ref sent_);
        return at >= order.Placed;
    }
}
