using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace WebShop;

/// <summary>An ASP.NET Core server on a port of its own: a fast, a slow, two failing and a held endpoint.</summary>
internal sealed class Shop : IAsyncDisposable
{
    private readonly WebApplication app_;
    private readonly TaskCompletionSource released_ = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int held_;

    public Shop(int slowMs)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        app_ = builder.Build();
        app_.MapGet("/item", (HttpContext context) => context.Response.WriteAsync("{\"name\":\"spoon\"}"));
        app_.MapGet("/report", async (HttpContext context) =>
        {
            await Task.Delay(slowMs);
            await context.Response.WriteAsync("[]");
        });
        app_.MapGet("/broken", void () => throw new InvalidOperationException("The till is empty."));
        app_.MapGet("/closed", (HttpContext context) => context.Response.StatusCode = 503);
        app_.MapGet("/held", async (HttpContext context) =>
        {
            Interlocked.Increment(ref held_);
            await released_.Task;
            await context.Response.WriteAsync("at last");
        });
    }

    public int Held => Volatile.Read(ref held_);

    public async Task<Uri> Open()
    {
        await app_.StartAsync();
        var addresses = app_.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!;
        return new Uri(addresses.Addresses.First());
    }

    public void Release() => released_.TrySetResult();

    /// <summary>Returns once every request is over: a client has its response slightly
    /// earlier.</summary>
    public async ValueTask DisposeAsync()
    {
        await app_.StopAsync();
        await app_.DisposeAsync();
    }
}
