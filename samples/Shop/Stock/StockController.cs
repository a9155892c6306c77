using Microsoft.AspNetCore.Mvc;
using Shop.Running;

namespace Shop.Stock;

public sealed record Reservation(int Pieces);

[ApiController]
[Route("api/stock")]
internal sealed class StockController(StockBook book, WarehouseClient warehouse) : ControllerBase
{
    [HttpGet("{product:int}")]
    public async Task<IActionResult> Of(int product, CancellationToken token)
    {
        int there = Quirks.On("task-result") ? Now(product) : await warehouse.PiecesAsync(product, token);
        return Ok(new { product, pieces = book.Count(product) + there });
    }

    [HttpPost("{product:int}/reserve")]
    public async Task<IActionResult> Reserve(int product, Reservation wanted, CancellationToken token) =>
        await book.Reserve(product, wanted.Pieces, token) ? Ok() : Conflict();

    private int Now(int product) => warehouse.PiecesAsync(product, default).Result;
}
