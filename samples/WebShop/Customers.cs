using System.Diagnostics;

namespace WebShop;

/// <summary>Clients of the shop. Each sends its next request after the response.</summary>
internal sealed class Customers : IDisposable
{
    private readonly HttpClient http_;
    private readonly int clients_;
    private long ticks_;
    private int answered_, refused_;

    public Customers(Uri shop, int clients)
    {
        http_ = new HttpClient { BaseAddress = shop };
        clients_ = clients;
    }

    public int Answered => answered_;  // successfully
    public int Refused => refused_;
    /// <summary>Total time of all requests, as seen by the clients.</summary>
    public double Seconds => (double)Interlocked.Read(ref ticks_) / Stopwatch.Frequency;

    /// <summary>Sends this many requests, spread over all clients.</summary>
    public Task Ask(string path, int requests)
    {
        int left = requests;
        return AllClients(path, () => Interlocked.Decrement(ref left) >= 0);
    }

    /// <summary>Sends requests until the time is up; returns how many.</summary>
    public async Task<int> AskFor(string path, TimeSpan time)
    {
        var clock = Stopwatch.StartNew();
        int before = answered_;
        await AllClients(path, () => clock.Elapsed < time);
        return answered_ - before;
    }

    /// <summary>Sends this many requests at the same time, each from a client of its own.</summary>
    public Task AskAtOnce(string path, int requests) =>
        Task.WhenAll(Enumerable.Range(0, requests).Select(_ => One(path)));

    public void Dispose() => http_.Dispose();

    private Task AllClients(string path, Func<bool> hasMore) =>
        Task.WhenAll(Enumerable.Range(0, clients_).Select(_ => Task.Run(async () =>
        {
            while (hasMore()) await One(path);
        })));

    private async Task One(string path)
    {
        long begun = Stopwatch.GetTimestamp();
        using HttpResponseMessage answer = await http_.GetAsync(path);
        await answer.Content.ReadAsByteArrayAsync();
        Interlocked.Add(ref ticks_, Stopwatch.GetTimestamp() - begun);
        Interlocked.Increment(ref answer.IsSuccessStatusCode ? ref answered_ : ref refused_);
    }
}
