using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Shop.Data;

namespace Shop.Orders;

/// <summary>Confirms orders, notifies those who wait for it, and deletes old ones.</summary>
internal sealed class OrderWorker(OrderQueue queue, IServiceScopeFactory scopes, Confirmations confirmations, DoubleOrders doubles,
                                  Writer writer, ILogger<OrderWorker> log) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken token)
    {
        await foreach (PlacedOrder order in queue.All(token))
        {
            Task<bool> sent = confirmations.SendWhenConfirmed(order);
            await Confirm(order, token);
            doubles.Check(order);
            confirmations.Confirmed(order.Id);
            if (sent.IsCompleted && !await sent) log.LogWarning("The confirmation of order {Order} was not sent", order.Id);
        }
    }

    private async Task Confirm(PlacedOrder placed, CancellationToken token)
    {
        using IServiceScope scope = scopes.CreateScope();
        var shop = scope.ServiceProvider.GetRequiredService<ShopContext>();
        int oldest = placed.Id - DatabaseFile.Orders;
        await writer.Write(() => shop.Orders.Where(order => order.Id == placed.Id)
            .ExecuteUpdateAsync(set => set.SetProperty(order => order.State, OrderState.Confirmed), token), token);
        // The first ones stay: customers request them.
        if (oldest > DatabaseFile.Orders)
        {
            await writer.Write(() => shop.Orders.Where(order => order.Id == oldest).ExecuteDeleteAsync(token), token);
        }
    }
}
