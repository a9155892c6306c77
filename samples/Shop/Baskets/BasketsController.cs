using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Shop.Running;

namespace Shop.Baskets;

[ApiController]
[Route("api/baskets")]
internal sealed class BasketsController(PriceFeed feed, BasketTable table, IHostApplicationLifetime lifetime,
                                        ILogger<BasketsController> log) : ControllerBase
{
    [HttpGet("{session}")]
    public async Task<IActionResult> Of(string session, CancellationToken token)
    {
        Basket basket = table.Of(session);
        var view = new BasketView(basket, feed);
        try
        {
            await Task.Delay(3, token);
            if (Quirks.On("closure")) KeepSafe(basket);
            return Ok(view.Render());
        }
        finally
        {
            if (!Quirks.On("event-handler")) view.Dispose();
        }
    }

    private void KeepSafe(Basket basket)
    {
        byte[] copy = new byte[30_000];
        lifetime.ApplicationStopping.Register(() => log.LogInformation("Basket {Session}: {Bytes}", basket.Session, copy.Length));
    }
}
