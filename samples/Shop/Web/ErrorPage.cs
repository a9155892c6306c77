using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Shop.Orders;

namespace Shop.Web;

/// <summary>What a client sees when a request has failed.</summary>
internal static class ErrorPage
{
    public static Task Write(HttpContext context)
    {
        Exception? error = context.Features.Get<IExceptionHandlerFeature>()?.Error;
        context.Response.StatusCode = error is OrderRefusedException ? 400 : 500;
        return context.Response.WriteAsJsonAsync(new { error = error is OrderRefusedException ? error.Message : "Something went wrong." });
    }
}
