using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Shop.Stock;

internal static class WarehouseRoutes
{
    private const int kFarMs = 100;

    public static void MapWarehouse(this IEndpointRouteBuilder routes)
    {
        RouteGroupBuilder warehouse = routes.MapGroup("/warehouse");
        warehouse.MapGet("/{product:int}", async (int product) =>
        {
            await Task.Delay(kFarMs);
            return Results.Json(new Pieces(product, 10 + product % 90));
        });
        warehouse.MapGet("/terms/{customer}", async (string customer) =>
        {
            await Task.Delay(kFarMs);
            return Results.Json(new Terms(customer, 14));
        });
    }
}
