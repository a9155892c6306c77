using Microsoft.AspNetCore.Http;
using Shop.Running;

namespace Shop.Web;

/// <summary>The currency in which the customer wants to see prices; euros if unknown.</summary>
internal sealed class CurrencyReader(RequestDelegate next)
{
    public const string Item = "currency";

    private static readonly Dictionary<string, string> kCodes = new(StringComparer.OrdinalIgnoreCase) { ["EUR"] = "EUR", ["USD"] = "USD" };

    public Task InvokeAsync(HttpContext context)
    {
        context.Items[Item] = Choose(context.Request.Headers["X-Currency"].ToString());
        return next(context);
    }

    private static string Choose(string wanted)
    {
        if (!Quirks.On("exception-swallowed")) return kCodes.GetValueOrDefault(wanted, "EUR");
        try
        {
            return CodeOf(wanted);
        }
        catch (FormatException)
        {
            return "EUR";
        }
    }

    private static string CodeOf(string wanted) =>
        wanted.Length == 3 && wanted != "EUR" && kCodes.TryGetValue(wanted, out string? code)
            ? code
            : throw new FormatException($"'{wanted}' is not a currency.");
}
