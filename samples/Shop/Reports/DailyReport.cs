using System.Text;
using Microsoft.EntityFrameworkCore;
using Shop.Data;
using Shop.Running;
using Shop.Stock;

namespace Shop.Reports;

/// <summary>What was sold.</summary>
internal sealed class DailyReport(ShopContext shop, WarehouseClient warehouse)
{
    private const int kRows = 40;
    private const int kColumns = 150;

    public async Task<string> Make(CancellationToken token)
    {
        var rows = await shop.Lines.AsNoTracking().Where(line => line.OrderId <= DatabaseFile.Orders).GroupBy(line => line.Product)
            .Select(group => new { Product = group.Key, Pieces = group.Sum(line => line.Pieces) })
            .OrderByDescending(row => row.Pieces).ThenBy(row => row.Product).Take(kRows).ToListAsync(token);
        int there = await Missing(rows.Count);
        return Join(rows.Select(row => Row(row.Product, row.Pieces + there)));
    }

    private async Task<int> Missing(int products)
    {
        Task<int> asked = warehouse.PiecesAsync(products, default);
        if (Quirks.On("task-wait")) asked.Wait();
        return await asked;
    }

    private static string Join(IEnumerable<string> rows)
    {
        if (!Quirks.On("large-strings")) return rows.Aggregate(new StringBuilder(), (text, row) => text.Append(row)).ToString();
        string all = "";
        foreach (string row in rows.SelectMany(row => Enumerable.Repeat(row, 5))) all += row;
        return all[..Math.Min(all.Length, 20_000)];
    }

    private static string Row(int product, int pieces)
    {
        var text = new StringBuilder();
        for (int column = 0; column < kColumns; column++) text.Append(product + column).Append(';').Append(pieces).Append(';');
        return text.Append('\n').ToString();
    }
}
