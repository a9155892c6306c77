// A typical service: Kestrel, JSON, and EF Core on a SQLite file. Prints `ready`, replies to each
// line of its input with its port, and exits at the end of its input.
//   GET  /orders/ID   an order with its lines
//   GET  /busiest     a query with grouping
//   POST /orders      adds one, and deletes the oldest
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

const int kOrders = 2000;
string file = Path.Combine(Path.GetTempPath(), $"hindsight-bench-{Environment.ProcessId}.db");
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Services.AddDbContext<Shop>(options => options.UseSqlite($"Data Source={file}"));
WebApplication app = builder.Build();

using (IServiceScope scope = app.Services.CreateScope())
{
    Shop shop = scope.ServiceProvider.GetRequiredService<Shop>();
    shop.Database.EnsureCreated();
    shop.Database.ExecuteSqlRaw("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF");
    for (int i = 1; i <= kOrders; i++) shop.Orders.Add(Order.Make(i));
    shop.SaveChanges();
}

using var writer = new SemaphoreSlim(1);
app.MapGet("/orders/{id:int}", async (int id, Shop shop) =>
{
    int first = await shop.Orders.MinAsync(order => order.Id);
    Order? found = await shop.Orders.AsNoTracking().Include(order => order.Lines)
        .OrderBy(order => order.Id).FirstOrDefaultAsync(order => order.Id >= first + id % kOrders);
    return found is null ? Results.NotFound() : Results.Json(found);
});
app.MapGet("/busiest", async (Shop shop) => Results.Json(await shop.Lines.AsNoTracking()
    .Where(line => line.OrderId % 16 == 0).GroupBy(line => line.Product)
    .Select(group => new { Product = group.Key, Pieces = group.Sum(line => line.Pieces) })
    .OrderByDescending(row => row.Pieces).Take(10).ToListAsync()));
app.MapPost("/orders", async (HttpRequest request, Shop shop) =>
{
    Order? order = await JsonSerializer.DeserializeAsync<Order>(request.Body, JsonSerializerOptions.Web);
    if (order is null) return Results.BadRequest();
    await writer.WaitAsync();  // SQLite allows one at a time; a second one would sleep for 150 ms
    try
    {
        shop.Orders.Add(order);
        await shop.SaveChangesAsync();
        await shop.Orders.OrderBy(old => old.Id).Take(1).ExecuteDeleteAsync();
    }
    finally
    {
        writer.Release();
    }
    return Results.Json(new { order.Id });
});

await app.StartAsync();
string address = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
Console.WriteLine("ready");
while (Console.ReadLine() is not null) Console.WriteLine(new Uri(address).Port);
await app.StopAsync();
Microsoft.Data.Sqlite.SqliteConnection.ClearAllPools();
foreach (string end in new[] { "", "-wal", "-shm" }) File.Delete(file + end);

internal sealed class Shop(DbContextOptions<Shop> options) : DbContext(options)
{
    public DbSet<Order> Orders => Set<Order>();
    public DbSet<Line> Lines => Set<Line>();
}

internal sealed class Order
{
    public int Id { get; set; }
    public string Customer { get; set; } = "";
    public List<Line> Lines { get; set; } = [];

    public static Order Make(int number) => new()
    {
        Customer = $"customer {number % 97}",
        Lines = [.. Enumerable.Range(0, 4).Select(i => new Line
        {
            Product = $"product {(number * 7 + i) % 50}", Pieces = 1 + (number + i) % 9,
        })],
    };
}

internal sealed class Line
{
    public int Id { get; set; }
    public int OrderId { get; set; }
    public string Product { get; set; } = "";
    public int Pieces { get; set; }
}
