using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Queries;

/// <summary>A server with a database; each route does something else.</summary>
/// <param name="slowMs">how long /slow waits</param>
/// <param name="busyMs">how long /busy calculates</param>
/// <param name="postgres">connection string of a PostgreSQL server; null: SQLite</param>
internal sealed class Library : IAsyncDisposable
{
    private readonly string file_ = Path.Combine(Path.GetTempPath(), $"queries-{Environment.ProcessId}.db");
    private readonly WebApplication app_;
    private readonly HttpClient http_ = new();

    public Library(int slowMs, int busyMs, string? postgres)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddDbContext<LibraryContext>(options =>
        {
            if (postgres == null) options.UseSqlite($"Data Source={file_}");
            else options.UseNpgsql(postgres);
        });
        builder.Services.AddScoped<Shelves>();
        app_ = builder.Build();
        app_.MapGet("/books/{id:int}", (int id, Shelves shelves) => shelves.Title(id));
        app_.MapGet("/shelves/{shelf:int}", (int shelf, Shelves shelves) => shelves.Together(shelf));
        app_.MapGet("/shelves/{shelf:int}/each", (int shelf, Shelves shelves) => shelves.OneByOne(shelf));
        if (postgres != null)
        {
            app_.MapGet("/catalogue/{shelf:int}", (int shelf, Shelves shelves) => shelves.WithoutEntities(shelf));
        }
        app_.MapGet("/remote/{id:int}", (int id) => http_.GetStringAsync(new Uri(Address, $"/books/{id}")));
        app_.MapGet("/slow", async () =>
        {
            await Task.Delay(slowMs);
            return "at last";
        });
        app_.MapGet("/busy", () => Calculate(busyMs));
    }

    public Uri Address { get; private set; } = new("http://127.0.0.1");

    public async Task Open(int shelves)
    {
        await app_.StartAsync();
        var addresses = app_.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!;
        Address = new Uri(addresses.Addresses.First());
        using IServiceScope scope = app_.Services.CreateScope();
        await Shelves.Fill(scope.ServiceProvider.GetRequiredService<LibraryContext>(), shelves);
    }

    /// <summary>Commands outside of any request.</summary>
    public async Task TakeStock(int times)
    {
        for (int i = 0; i < times; i++)
        {
            using IServiceScope scope = app_.Services.CreateScope();
            await scope.ServiceProvider.GetRequiredService<LibraryContext>().Books.CountAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await app_.StopAsync();
        await app_.DisposeAsync();
        SqliteConnection.ClearAllPools();
        File.Delete(file_);
    }

    /// <summary>Uses about this much CPU time of this thread.</summary>
    private static double Calculate(int milliseconds)
    {
        double sum = 0;
        var clock = Stopwatch.StartNew();
        while (clock.ElapsedMilliseconds < milliseconds)
        {
            for (int i = 1; i < 1000; i++) sum += Math.Sqrt(i);
        }
        return sum;
    }
}
