using System.Net.Http.Json;

namespace Shop.Stock;

internal sealed record Pieces(int Product, int Count);
internal sealed record Terms(string Customer, int Days);

/// <summary>The warehouse, a separate service; here it is the shop itself.</summary>
internal sealed class WarehouseClient(HttpClient http)
{
    public async Task<int> PiecesAsync(int product, CancellationToken token) =>
        (await http.GetFromJsonAsync<Pieces>($"/warehouse/{product}", token))?.Count ?? 0;

    public async Task<Terms> TermsAsync(string customer) =>
        await http.GetFromJsonAsync<Terms>($"/warehouse/terms/{Uri.EscapeDataString(customer)}") ?? new Terms(customer, 14);
}
