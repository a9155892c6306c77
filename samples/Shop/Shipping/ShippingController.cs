using Microsoft.AspNetCore.Mvc;

namespace Shop.Shipping;

[ApiController]
[Route("api/shipping")]
internal sealed class ShippingController(RoutePlanner planner) : ControllerBase
{
    [HttpGet("{zip:int}")]
    public ActionResult<object> To(int zip)
    {
        Quote quote = planner.Cheapest(zip);
        return new { quote.Zip, quote.Stops, quote.Cost };
    }
}
