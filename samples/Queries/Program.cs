// A server with a database (EF Core on SQLite) and its clients in one process: known numbers of
// requests, commands and calls of each kind.
using Samples;

namespace Queries;

internal static class Program
{
    private const string kUsage =
        "Queries [--requests N] [--slow-ms N] [--busy-ms N]\n" +
        "  --requests N  to each route (default 30), one after the other\n" +
        "  --slow-ms N   how long /slow waits (default 20)\n" +
        "  --busy-ms N   how long /busy calculates (default 20)\n";

    private const int kShelves = 5;

    private static async Task Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        await using var library = new Library(arguments.Number("slow-ms", 20), arguments.Number("busy-ms", 20));
        await library.Open(kShelves);
        Scene.Play(arguments, () => Visit(library, arguments.Number("requests", 30)).GetAwaiter().GetResult());
    }

    private static async Task Visit(Library library, int requests)
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
            using HttpResponseMessage nothing = await http.GetAsync($"/nothing/{i}");
        }
        await library.TakeStock(requests);
    }
}
