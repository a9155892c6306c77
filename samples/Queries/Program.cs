// A server with a database (EF Core on SQLite or PostgreSQL) and its clients in one process: known
// numbers of requests, commands and calls of each kind.
using Samples;

namespace Queries;

internal static class Program
{
    private const string kUsage =
        "Queries [--requests N] [--slow-ms N] [--busy-ms N] [--postgres CONNECTION]\n" +
        "  --requests N  to each route (default 30), one after the other\n" +
        "  --slow-ms N   how long /slow waits (default 20)\n" +
        "  --busy-ms N   how long /busy calculates (default 20)\n" +
        "  --postgres CONNECTION\n" +
        "                use this PostgreSQL server instead of SQLite, and also without EF Core\n";

    private const int kShelves = 5;

    private static async Task Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        string? postgres = arguments.Text("postgres");
        await using var library = new Library(arguments.Number("slow-ms", 20), arguments.Number("busy-ms", 20), postgres);
        await library.Open(kShelves);
        Scene.Play(arguments, () => Visit(library, arguments.Number("requests", 30), postgres != null).GetAwaiter().GetResult());
    }

    private static async Task Visit(Library library, int requests, bool withCatalogue)
    {
        using var http = new HttpClient { BaseAddress = library.Address };
        for (int i = 0; i < requests; i++)
        {
            int shelf = 1 + i % kShelves;
            foreach (string path in new[]
                     {
                         $"/books/{1 + i}", $"/shelves/{shelf}", $"/shelves/{shelf}/each", $"/remote/{1 + i}", "/slow", "/busy",
                     })
            {
                await http.GetStringAsync(path);
            }
            if (withCatalogue) await http.GetStringAsync($"/catalogue/{shelf}");
            using HttpResponseMessage nothing = await http.GetAsync($"/nothing/{i}");
        }
        await library.TakeStock(requests);
    }
}
