using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shop.Baskets;
using Shop.Catalogue;
using Shop.Data;
using Shop.Images;
using Shop.Orders;
using Shop.Payments;
using Shop.Reports;
using Shop.Shipping;
using Shop.Stock;

namespace Shop.Web;

/// <summary>The web server on a port of its own, with everything that the shop has.</summary>
internal sealed class Server : IAsyncDisposable
{
    private readonly WebApplication app_;

    private Server(WebApplication app) => app_ = app;

    public Uri Address { get; private set; } = new("http://127.0.0.1");

    public static async Task<Server> Open(DatabaseFile database)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders().AddProvider(new RecentLog()).SetMinimumLevel(LogLevel.Information);
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        AddServices(builder.Services, database);
        var server = new Server(builder.Build());
        await server.Open();
        return server;
    }

    public async Task Stop(TimeSpan patience)
    {
        using var end = new CancellationTokenSource(patience);
        try
        {
            await app_.StopAsync(end.Token).WaitAsync(patience * 2);
        }
        catch (Exception error) when (error is OperationCanceledException or TimeoutException)
        {
            // A request is still being served.
        }
    }

    public ValueTask DisposeAsync() => app_.DisposeAsync();

    private static void AddServices(IServiceCollection services, DatabaseFile database)
    {
        services.AddDbContext<ShopContext>(options => options.UseSqlite(database.ConnectionString));
        services.AddControllers().ConfigureApplicationPartManager(parts =>
            parts.FeatureProviders.Add(new OwnControllers()));
        services.AddMemoryCache();
        services.ConfigureHttpJsonOptions(options => options.SerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.CamelCase);
        services.AddSingleton<Writer>().AddSingleton<Location>();
        services.AddHttpClient<WarehouseClient>((provider, http) => http.BaseAddress = provider.GetRequiredService<Location>().Address)
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan);
        services.AddSingleton<PriceTexts>().AddSingleton<SearchIndex>().AddSingleton<Visits>().AddSingleton<Discounts>();
        services.AddScoped<Products>().AddScoped<OrderHistory>().AddScoped<InvoiceWriter>();
        services.AddSingleton<Confirmations>().AddSingleton<OrderQueue>().AddSingleton<DoubleOrders>();
        services.AddSingleton<StockBook>().AddSingleton<PriceFeed>().AddSingleton<BasketTable>();
        services.AddSingleton<Ledger>().AddSingleton<Accounts>().AddSingleton<RoutePlanner>();
        services.AddSingleton<PictureStore>().AddSingleton<LabelPrinter>().AddSingleton<Newsletter>().AddScoped<DailyReport>();
        services.AddHostedService<OrderWorker>().AddHostedService<PriceWorker>().AddHostedService<AuditWorker>()
            .AddHostedService<StockImport>().AddHostedService(provider => provider.GetRequiredService<DoubleOrders>());
    }

    private async Task Open()
    {
        using (IServiceScope scope = app_.Services.CreateScope())
        {
            var shop = scope.ServiceProvider.GetRequiredService<ShopContext>();
            await DatabaseFile.Fill(shop);
            app_.Services.GetRequiredService<SearchIndex>().Load(await shop.Products.AsNoTracking().ToListAsync());
        }
        app_.UseExceptionHandler(errors => errors.Run(ErrorPage.Write));
        app_.UseMiddleware<RequestClock>();
        app_.UseMiddleware<CurrencyReader>();
        app_.UseMiddleware<CustomerReader>();
        app_.MapControllers();
        app_.MapCatalogue();
        app_.MapWarehouse();
        app_.MapPayments();
        app_.MapDesk();
        await app_.StartAsync();
        var addresses = app_.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!;
        Address = new Uri(addresses.Addresses.First());
        app_.Services.GetRequiredService<Location>().Address = Address;
    }
}
