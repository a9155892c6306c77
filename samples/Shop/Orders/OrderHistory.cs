using Microsoft.EntityFrameworkCore;
using Shop.Data;
using Shop.Running;

namespace Shop.Orders;

internal sealed record OrderSummary(int Id, DateTime Placed, int Pieces, IReadOnlyList<string> Names);

/// <summary>Past orders.</summary>
internal sealed class OrderHistory(ShopContext shop)
{
    private const int kMost = 40;

    public Task<Order?> One(int id, CancellationToken token) =>
        shop.Orders.AsNoTracking().Include(order => order.Lines).FirstOrDefaultAsync(order => order.Id == id, token);

    public async Task<IReadOnlyList<OrderSummary>> OfCustomer(int customer, CancellationToken token)
    {
        IQueryable<Order> orders = shop.Orders.AsNoTracking().Where(order => order.Customer == customer)
            .OrderBy(order => order.Id).Take(kMost);
        return Quirks.On("n-plus-one") ? await Each(orders, token) : await Together(orders, token);
    }

    private async Task<IReadOnlyList<OrderSummary>> Together(IQueryable<Order> orders, CancellationToken token)
    {
        List<Order> found = await orders.Include(order => order.Lines).ToListAsync(token);
        int[] ids = found.SelectMany(order => order.Lines).Select(line => line.Product).Distinct().ToArray();
        Dictionary<int, string> names = await shop.Products.AsNoTracking().Where(product => ids.Contains(product.Id))
            .ToDictionaryAsync(product => product.Id, product => product.Name, token);
        return found.ConvertAll(order => Summary(order, order.Lines, line => names.GetValueOrDefault(line.Product, "")));
    }

    private async Task<IReadOnlyList<OrderSummary>> Each(IQueryable<Order> orders, CancellationToken token)
    {
        var summaries = new List<OrderSummary>();
        foreach (Order order in await orders.ToListAsync(token))
        {
            List<OrderLine> lines = await LinesOf(order.Id, token);
            var names = new Dictionary<int, string>();
            foreach (OrderLine line in lines) names[line.Product] = await NameOf(line.Product, token);
            summaries.Add(Summary(order, lines, line => names[line.Product]));
        }
        return summaries;
    }

    private Task<List<OrderLine>> LinesOf(int order, CancellationToken token) =>
        shop.Lines.AsNoTracking().Where(line => line.OrderId == order).ToListAsync(token);

    private async Task<string> NameOf(int id, CancellationToken token) =>
        await shop.Products.AsNoTracking().Where(product => product.Id == id).Select(product => product.Name)
            .FirstOrDefaultAsync(token) ?? "";

    private static OrderSummary Summary(Order order, List<OrderLine> lines, Func<OrderLine, string> nameOf) =>
        new(order.Id, order.Placed, lines.Sum(line => line.Pieces), lines.ConvertAll(line => nameOf(line)));
}
