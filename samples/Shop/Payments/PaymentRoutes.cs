using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Shop.Stock;
using Shop.Web;

namespace Shop.Payments;

internal sealed record NewPayment(int Order, int Cents);
internal sealed record NewTransfer(int From, int To, int Cents);

internal static class PaymentRoutes
{
    public static void MapPayments(this IEndpointRouteBuilder routes)
    {
        RouteGroupBuilder api = routes.MapGroup("/api");
        api.MapPost("/payments", async (NewPayment payment, HttpContext context, Ledger ledger) =>
        {
            long balance = await ledger.Book(payment.Order, payment.Cents);
            return Results.Json(new { balance, terms = (context.Items[CustomerReader.Item] as Terms)?.Days });
        });
        api.MapPost("/transfers", (NewTransfer transfer, Accounts accounts) =>
            Results.Json(new { balance = accounts.Transfer(transfer.From, transfer.To, transfer.Cents) }));
    }
}
