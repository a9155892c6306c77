using System.Net.Http.Json;

namespace Shop.Load;

/// <summary>
/// Sends requests to everything in the shop at a fixed rate, whether or not responses come, as
/// customers do. A request that hangs is abandoned after a while, and no route has more than
/// `kAtOnce` requests in progress.
/// </summary>
internal sealed class Customers
{
    private const int kAtOnce = 24;
    private const int kPatienceSeconds = 40;

    private sealed class Wish(int share, Func<int, HttpRequestMessage> ask)
    {
        public readonly int Share = share;
        public readonly Func<int, HttpRequestMessage> Ask = ask;
        public int UnderWay;
    }

    private readonly HttpClient http_;
    private readonly int rate_;
    private readonly Wish[] wishes_;

    public Customers(Uri shop, int rate)
    {
        http_ = new HttpClient { BaseAddress = shop, Timeout = TimeSpan.FromSeconds(kPatienceSeconds) };
        rate_ = rate;
        Wish[] kinds =
        [
            new(24, n => Get($"/api/products/{1 + n % 300}?session=s{n}")),
            new(8, n => Get($"/api/search?words=spoon+{n % 40}")),
            new(8, n => Post("/api/orders", new { Customer = n % 50, Lines = new[] { new { Product = 1 + n % 300, Pieces = 2 } } })),
            new(8, n => Get($"/api/orders/{1 + n % 400}")),
            new(6, n => Get($"/api/orders/{1 + n % 400}/invoice")),
            new(5, n => Get($"/api/orders?customer={n % 50}")),
            new(12, n => Get($"/api/stock/{1 + n % 300}")),
            new(6, n => Post($"/api/stock/{1 + n % 300}/reserve", new { Pieces = 1 })),
            new(6, n => Get($"/api/baskets/b{n}")),
            new(6, n => Get($"/api/shipping/{10000 + n * 37 % 80000}")),
            new(5, n => Get($"/api/images/{1 + n / 24 % 60}")),  // n % 60 is one of five
            new(4, n => Get("/api/reports/daily")),
            new(8, n => Post("/api/payments", new { Order = 1 + n % 400, Cents = 100 + n % 900 })),
            new(6, n => Post("/api/transfers", new { From = n % 2, To = 1 - n % 2, Cents = 1 + n % 20 })),
            new(4, n => Post("/api/newsletter", new { Issue = n })),
            new(4, n => Post("/api/labels", new { Order = 1 + n % 400 })),
        ];
        // Mixed, and the same in every run.
        var random = new Random(7);
        wishes_ = [.. kinds.SelectMany(kind => Enumerable.Repeat(kind, kind.Share)).OrderBy(_ => random.Next())];
    }

    public async Task Buy(TimeSpan time)
    {
        using var end = new CancellationTokenSource(time);
        using var beat = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        double due = 0;
        int number = 0;
        while (!end.IsCancellationRequested && await beat.WaitForNextTickAsync())
        {
            due += rate_ * 0.02;
            for (; due >= 1; due--)
            {
                Wish wish = wishes_[number % wishes_.Length];
                int turn = number++;
                if (Volatile.Read(ref wish.UnderWay) < kAtOnce) _ = One(wish, turn);
            }
        }
    }

    private async Task One(Wish wish, int number)
    {
        Interlocked.Increment(ref wish.UnderWay);
        try
        {
            using HttpRequestMessage request = wish.Ask(number);
            request.Headers.Add("X-Currency", number % 3 == 0 ? "EUR" : "euro");
            using HttpResponseMessage answer = await http_.SendAsync(request);
            await answer.Content.ReadAsByteArrayAsync();
        }
        catch (Exception error) when (error is HttpRequestException or OperationCanceledException)
        {
            // The shop is slow, or closed. A customer tries again later.
        }
        finally
        {
            Interlocked.Decrement(ref wish.UnderWay);
        }
    }

    private static HttpRequestMessage Get(string path) => new(HttpMethod.Get, path);
    private static HttpRequestMessage Post(string path, object body) =>
        new(HttpMethod.Post, path) { Content = JsonContent.Create(body) };
}
