using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Shop.Web;

namespace Shop.Catalogue;

internal static class CatalogueRoutes
{
    public static void MapCatalogue(this IEndpointRouteBuilder routes)
    {
        RouteGroupBuilder api = routes.MapGroup("/api");
        api.MapGet("/products/{id:int}", async (int id, string? session, HttpContext context, Products products) =>
            await products.Show(id, session ?? "nobody", context.Items[CurrencyReader.Item] as string ?? "EUR") is { } card
                ? Results.Json(new { card.Id, card.Name, card.Text })
                : Results.NotFound());
        api.MapGet("/search", (string words, SearchIndex index) =>
            Results.Json(index.Find(words.Split(' ', StringSplitOptions.RemoveEmptyEntries))));
    }
}
