using Microsoft.Extensions.Hosting;
using Shop.Running;

namespace Shop.Stock;

internal sealed record ImportRow(int Product, int Count, byte[] Raw);

/// <summary>Reads the suppliers' data from time to time.</summary>
internal sealed class StockImport(StockBook book) : BackgroundService
{
    private const int kRows = 5000;
    private const int kRowBytes = 12_000;

    protected override async Task ExecuteAsync(CancellationToken token)
    {
        using var clock = new PeriodicTimer(TimeSpan.FromSeconds(4));
        while (await clock.WaitForNextTickAsync(token)) await Import(Quirks.On("memory-spike") ? kRows : 20, token);
    }

    private async Task Import(int rows, CancellationToken token)
    {
        List<ImportRow> read = Enumerable.Range(0, rows).Select(row => new ImportRow(row % 300, row % 11, new byte[kRowBytes])).ToList();
        await Task.Delay(500, token);
        foreach (IGrouping<int, ImportRow> group in read.GroupBy(row => row.Product).Take(20))
        {
            await book.Reserve(group.Key, -group.Sum(row => row.Count) % 3, token);
        }
    }
}
