using System.Text;
using Microsoft.EntityFrameworkCore;
using Shop.Data;
using Shop.Running;

namespace Shop.Orders;

/// <summary>Invoices as text.</summary>
internal sealed class InvoiceWriter(ShopContext shop)
{
    public async Task<string> Write(int id, CancellationToken token)
    {
        Order order = await shop.Orders.AsNoTracking().Include(one => one.Lines).FirstOrDefaultAsync(one => one.Id == id, token)
                      ?? throw new OrderRefusedException($"There is no order {id}.");
        int[] ids = order.Lines.Select(line => line.Product).ToArray();
        Dictionary<int, Product> products = await shop.Products.AsNoTracking().Where(product => ids.Contains(product.Id))
            .ToDictionaryAsync(product => product.Id, token);
        var text = new StringBuilder($"Order {order.Id} of {order.Placed:d}\n");
        foreach (OrderLine line in order.Lines) AddLine(text, line, PriceOf(order, line, products));
        return text.ToString();
    }

    private static int PriceOf(Order order, OrderLine line, Dictionary<int, Product> products)
    {
        if (Quirks.On("failing-route") && order.Id % 3 == 0) return products[-line.Product].Cents;
        return products[line.Product].Cents;
    }

    private static void AddLine(StringBuilder text, OrderLine line, int cents) =>
        text.Append(line.Pieces).Append(" x ").Append(line.Product).Append(": ").Append(cents * line.Pieces).Append('\n');
}
