using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Shop.Data;
using Shop.Running;

namespace Shop.Payments;

/// <summary>Payments, booked one after the other.</summary>
internal sealed class Ledger(IServiceScopeFactory scopes, Writer writer)
{
    private readonly SemaphoreSlim turn_ = new(1, 1);
    private long total_;

    public async Task<long> Book(int order, int cents)
    {
        await turn_.WaitAsync();
        try
        {
            await Write(new Payment { Order = order, Cents = cents });
            total_ += cents;
            return Quirks.On("async-deadlock") ? await Balance() : total_;
        }
        finally
        {
            turn_.Release();
        }
    }

    public async Task<long> Balance()
    {
        await turn_.WaitAsync();
        try
        {
            return total_;
        }
        finally
        {
            turn_.Release();
        }
    }

    private async Task Write(Payment payment)
    {
        using IServiceScope scope = scopes.CreateScope();
        var shop = scope.ServiceProvider.GetRequiredService<ShopContext>();
        await writer.Write(async () =>
        {
            shop.Payments.Add(payment);
            return await shop.SaveChangesAsync();
        });
        int old = payment.Id - 1000;
        if (old > 0) await writer.Write(() => shop.Payments.Where(one => one.Id == old).ExecuteDeleteAsync());
    }
}
