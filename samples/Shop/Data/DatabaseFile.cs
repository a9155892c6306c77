using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Shop.Data;

/// <summary>The database: a file of this process, removed when it ends.</summary>
internal sealed class DatabaseFile : IDisposable
{
    public const int Products = 300;
    public const int Orders = 400;
    private const int kCustomers = 50;

    private static readonly string[] kThings = ["spoon", "fork", "knife", "plate", "cup", "bowl", "pan", "jug"];
    private static readonly string[] kKinds = ["small", "large", "wooden", "steel", "blue", "plain", "fine"];

    private readonly string path_ = Path.Combine(Path.GetTempPath(), $"shop-{Environment.ProcessId}.db");

    public string ConnectionString => $"Data Source={path_}";

    public static async Task Fill(ShopContext shop)
    {
        await shop.Database.EnsureCreatedAsync();
        await shop.Database.ExecuteSqlRawAsync("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF");
        for (int i = 0; i < Products; i++)
        {
            string name = $"{kKinds[i % kKinds.Length]} {kThings[i % kThings.Length]} {i % 40}";
            shop.Products.Add(new Product
            {
                Name = name,
                Description = string.Join(' ', Enumerable.Range(0, 40).Select(n => $"<b>{name}</b> no. {n * i},")),
                Cents = 100 + i * 13 % 900,
                Pieces = 1000,
            });
        }
        for (int i = 0; i < Orders; i++) shop.Orders.Add(Make(i));
        await shop.SaveChangesAsync();
    }

    public void Dispose()
    {
        SqliteConnection.ClearAllPools();
        foreach (string end in new[] { "", "-wal", "-shm" }) File.Delete(path_ + end);
    }

    private static Order Make(int number) => new()
    {
        Customer = number % kCustomers,
        Placed = DateTime.UnixEpoch.AddDays(number),
        Lines = [.. Enumerable.Range(0, 3).Select(i => new OrderLine { Product = 1 + (number * 7 + i) % Products, Pieces = 1 + i })],
    };
}
