using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.Caching.Memory;
using Shop.Data;
using Shop.Running;

namespace Shop.Catalogue;

internal sealed record ProductCard(int Id, string Name, string Text, int Cents, byte[] Preview);

/// <summary>Products as customers see them. Read from the database once a minute at most.</summary>
internal sealed class Products(ShopContext shop, IMemoryCache cache, PriceTexts prices, Visits visits, Discounts discounts)
{
    private const int kPreviewBytes = 12_000;

    public async Task<ProductCard?> Show(int id, string session, string currency)
    {
        ProductCard? card = await cache.GetOrCreateAsync(KeyOf(id, session), async entry =>
        {
            if (!Quirks.On("cache-memory")) entry.AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1);
            return await Read(id);
        });
        if (card is null) return null;
        visits.Note(session, card);
        int cents = discounts.Quote(card.Cents, id);
        return card with { Text = prices.Of(session, cents, currency).Text + Markup.Clean(card.Text), Preview = [] };
    }

    private static string KeyOf(int id, string session) =>
        Quirks.On("cache-memory") ? $"product {id} for {session}" : $"product {id}";

    private async Task<ProductCard?> Read(int id)
    {
        Product? found = await shop.Products.AsNoTracking().FirstOrDefaultAsync(product => product.Id == id);
        return found is null ? null : new ProductCard(found.Id, found.Name, found.Description, found.Cents, new byte[kPreviewBytes]);
    }
}
