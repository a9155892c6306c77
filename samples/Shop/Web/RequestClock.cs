using System.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Shop.Web;

/// <summary>Logs slow requests.</summary>
internal sealed class RequestClock(RequestDelegate next, ILogger<RequestClock> log)
{
    private static readonly TimeSpan kLong = TimeSpan.FromMilliseconds(250);

    public async Task InvokeAsync(HttpContext context)
    {
        long begun = Stopwatch.GetTimestamp();
        try
        {
            await next(context);
        }
        finally
        {
            TimeSpan took = Stopwatch.GetElapsedTime(begun);
            if (took > kLong) log.LogInformation("{Path} took {Milliseconds} ms", context.Request.Path, took.TotalMilliseconds);
        }
    }
}
