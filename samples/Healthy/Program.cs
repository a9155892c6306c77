// A healthy service with everything that looks like a leak but is not: a bounded cache, tables,
// pools with large buffers, timers that are disposed, events that are unsubscribed, handles that
// are freed.
using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Samples;

namespace Healthy;

internal static class Program
{
    private const int kArticles = 2_000;
    private const int kBuffers = 16;

    private static readonly Dictionary<int, Article> catalogue_ = new();
    private static readonly LruCache<string, Page> cache_ = new(capacity: 500);
    private static readonly ConcurrentQueue<byte[]> buffers_ = new();
    private static readonly Hub hub_ = new();
    private static readonly CancellationTokenSource over_ = new();
    private static long served_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "Healthy " + Stay.Usage);
        for (int i = 0; i < kArticles; i++) catalogue_.Add(i, new Article(i));
        for (int i = 0; i < kBuffers; i++) buffers_.Enqueue(new byte[1 << 20]);
        for (int i = 0; i < 5_000; i++) Serve(i);

        var workers = new Task[2];
        for (int i = 0; i < workers.Length; i++) workers[i] = Task.Run(new Func<Task>(Work));
        Stay.UntilTheEnd(arguments, [typeof(Program)]);
        over_.Cancel();
        Task.WaitAll(workers);
        if (served_ < 5_000) throw new InvalidOperationException("not served");
    }

    private static async Task Work()
    {
        for (int i = 0; !over_.IsCancellationRequested; i++)
        {
            Serve(i);
            await Task.Delay(5);
        }
    }

    private static void Serve(int request)
    {
        using var session = new Session(hub_);
        byte[] rented = ArrayPool<byte>.Shared.Rent(4096);
        if (!buffers_.TryDequeue(out byte[]? buffer)) buffer = new byte[1 << 20];
        GCHandle pinned = GCHandle.Alloc(rented, GCHandleType.Pinned);
        try
        {
            Article article = catalogue_[request % kArticles];
            string key = $"/articles/{request % 1500}";
            Page page = cache_.GetOrAdd(key, () => new Page(article));
            buffer[request % buffer.Length] = rented[0] = (byte)page.Length;
            hub_.Tell(request);
            Interlocked.Increment(ref served_);
        }
        finally
        {
            pinned.Free();
            buffers_.Enqueue(buffer);
            ArrayPool<byte>.Shared.Return(rented);
        }
    }
}

internal sealed class Article(int number)
{
    public readonly string Name = "article " + number;
    public readonly decimal Price = number;
}

internal sealed class Page(Article article)
{
    private readonly byte[] body_ = new byte[200 + article.Name.Length];
    public int Length => body_.Length;
}

/// <summary>Lives as long as the process; its subscribers do not.</summary>
internal sealed class Hub
{
    public event Action<int>? Told;
    public void Tell(int number) => Told?.Invoke(number);
}

internal sealed class Session : IDisposable
{
    private readonly Hub hub_;
    private readonly Timer timer_;
    private int last_;

    public Session(Hub hub)
    {
        hub_ = hub;
        hub_.Told += OnTold;
        timer_ = new Timer(_ => last_ = -1, null, TimeSpan.FromMinutes(1), Timeout.InfiniteTimeSpan);
    }

    private void OnTold(int number) => last_ = number;

    public void Dispose()
    {
        hub_.Told -= OnTold;
        timer_.Dispose();
        GC.KeepAlive(last_);
    }
}

/// <summary>Holds the `capacity` entries used most recently. Any thread.</summary>
internal sealed class LruCache<TKey, TValue>(int capacity) where TKey : notnull
{
    private readonly Dictionary<TKey, LinkedListNode<(TKey Key, TValue Value)>> index_ = new();
    private readonly LinkedList<(TKey Key, TValue Value)> order_ = new();

    public TValue GetOrAdd(TKey key, Func<TValue> make)
    {
        lock (order_)
        {
            if (index_.TryGetValue(key, out var node))
            {
                order_.Remove(node);
                order_.AddFirst(node);
                return node.Value.Value;
            }
            if (index_.Count == capacity)
            {
                index_.Remove(order_.Last!.Value.Key);
                order_.RemoveLast();
            }
            index_[key] = order_.AddFirst((key, make()));
            return order_.First!.Value.Value;
        }
    }
}
