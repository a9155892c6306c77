using Microsoft.AspNetCore.Mvc;
using Shop.Catalogue;
using Shop.Data;

namespace Shop.Orders;

public sealed record NewLine(int Product, int Pieces);
public sealed record NewOrder(int Customer, NewLine[] Lines);

[ApiController]
[Route("api/orders")]
internal sealed class OrdersController(OrderHistory history, OrderQueue queue, Writer writer, ShopContext shop, Discounts discounts,
                                       InvoiceWriter invoices) : ControllerBase
{
    [HttpGet("{id:int}")]
    public async Task<IActionResult> One(int id, CancellationToken token) =>
        await history.One(id, token) is { } order ? Ok(order) : NotFound();

    [HttpGet]
    public async Task<IActionResult> OfCustomer(int customer, CancellationToken token) => Ok(await history.OfCustomer(customer, token));

    [HttpGet("{id:int}/invoice")]
    public async Task<IActionResult> Invoice(int id, CancellationToken token) => Content(await invoices.Write(id, token), "text/plain");

    [HttpPost]
    public async Task<IActionResult> Place(NewOrder wanted, CancellationToken token)
    {
        if (wanted.Lines is not { Length: > 0 }) throw new OrderRefusedException("An order has a line at least.");
        Order order = await writer.Write(async () =>
        {
            var placed = new Order
            {
                Customer = wanted.Customer,
                Placed = DateTime.UtcNow,
                Lines = [.. wanted.Lines.Select(line => new OrderLine { Product = line.Product, Pieces = line.Pieces })],
            };
            shop.Orders.Add(placed);
            await shop.SaveChangesAsync(token);
            return placed;
        }, token);
        foreach (NewLine line in wanted.Lines) discounts.Ordered(line.Product, line.Pieces);
        await queue.Add(new PlacedOrder(order.Id, order.Customer, order.Placed), token);
        return Accepted(new { order.Id });
    }
}
