using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Shop.Images;
using Shop.Shipping;

namespace Shop.Reports;

internal sealed record NewIssue(int Issue);
internal sealed record NewLabel(int Order);

/// <summary>Routes for the shop's staff.</summary>
internal static class DeskRoutes
{
    public static void MapDesk(this IEndpointRouteBuilder routes)
    {
        RouteGroupBuilder api = routes.MapGroup("/api");
        api.MapGet("/reports/daily", async (DailyReport report, CancellationToken token) =>
            Results.Text(await report.Make(token), "text/csv"));
        api.MapPost("/newsletter", (NewIssue issue, Newsletter letters) =>
        {
            letters.Send(issue.Issue);
            return Results.Accepted();
        });
        api.MapPost("/labels", (NewLabel label, LabelPrinter printer) =>
            Results.Json(new { printed = printer.Add(new Label(label.Order, $"To order {label.Order}")) }));
        api.MapGet("/images/{id:int}", (int id, PictureStore pictures) => Results.Bytes(pictures.Small(id), "image/png"));
    }
}
