using Microsoft.AspNetCore.Http;
using Shop.Running;
using Shop.Stock;

namespace Shop.Web;

/// <summary>Looks up a customer's terms where they matter: for payments.</summary>
internal sealed class CustomerReader(RequestDelegate next)
{
    public const string Item = "terms";

    public async Task InvokeAsync(HttpContext context, WarehouseClient warehouse)
    {
        if (context.Request.Path.StartsWithSegments("/api/payments"))
        {
            context.Items[Item] = Quirks.On("task-getresult")
                ? warehouse.TermsAsync(context.TraceIdentifier).GetAwaiter().GetResult()
                : await warehouse.TermsAsync(context.TraceIdentifier);
        }
        await next(context);
    }
}
