using System.Diagnostics;

namespace WebShop;

/// <summary>Clients of the shop. Each asks again once it has its answer.</summary>
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

    public int Answered => answered_;  // with success
    public int Refused => refused_;
    /// <summary>Of all requests together, as the clients see it.</summary>
    public double Seconds => (double)Interlocked.Read(ref ticks_) / Stopwatch.Frequency;

    /// <summary>So many requests, by all clients together.</summary>
    public Task Ask(string path, int requests)
    {
        int left = requests;
        return AllClients(path, () => Interlocked.Decrement(ref left) >= 0);
    }

    /// <summary>Requests until the time is over; returns how many.</summary>
    public async Task<int> AskFor(string path, TimeSpan time)
    {
        var clock = Stopwatch.StartNew();
        int before = answered_;
        await AllClients(path, () => clock.Elapsed < time);
        return answered_ - before;
    }

    /// <summary>So many requests at the same time, each by a client of its own.</summary>
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
