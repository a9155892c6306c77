namespace Unloading;

/// <summary>
/// What a plug-in does: its own types in generics of the framework, statics of every kind, throws,
/// contended locks, tasks. None of it may outlive the call.
/// </summary>
public static class Guest
{
    private class Item
    {
        public long Value;
        public Item? Next;
    }

    private sealed class SpecialItem : Item
    {
        public string Name = "";
    }

    private record struct Key(int Group, long Number);

    private sealed class GuestException(string message) : Exception(message);

    private static class Cache<T> where T : new()
    {
        public static readonly List<T> Items = new();
        [ThreadStatic] public static T? Last;
    }

    private static readonly Dictionary<Key, Item> items_ = new();
    private static readonly object lock_ = new();
    private static Item? first_;
    [ThreadStatic] private static Item? mine_;

    private const int kItems = 300;
    private const int kThrows = 5;

    public static long Result(int seed) => (long)kItems * seed + (long)kItems * (kItems - 1) / 2 + kThrows;

    public static long Work(int seed)
    {
        Fill(seed);
        long sum = Sum(new List<Item>(items_.Values)) + Throw();
        Task.WhenAll(Enumerable.Range(0, 3).Select(_ => Task.Run(Contend))).Wait();
        items_.Clear();
        mine_ = first_ = null;
        Cache<Item>.Last = null;
        Cache<Item>.Items.Clear();
        return sum;
    }

    private static void Fill(int seed)
    {
        for (int i = 0; i < kItems; i++)
        {
            Item item = i % 2 == 0 ? new Item() : new SpecialItem { Name = "item " + i };
            item.Value = seed + i;
            item.Next = first_;
            mine_ = first_ = item;
            items_.Add(new Key(i % 7, i), item);
            Cache<Item>.Items.Add(item);
            Cache<Item>.Last = item;
        }
    }

    private static long Sum<T>(List<T> items) where T : Item => items.Sum(item => item.Value);

    private static long Throw()
    {
        long caught = 0;
        for (int i = 0; i < kThrows; i++)
        {
            try
            {
                throw new GuestException("guest " + i);
            }
            catch (GuestException)
            {
                caught++;
            }
        }
        return caught;
    }

    private static async Task Contend()
    {
        for (int i = 0; i < 3; i++)
        {
            lock (lock_)
            {
                var block = new Key[64];
                block[i] = new Key(i, i);
                Thread.SpinWait(2000);
            }
            await Task.Yield();
        }
    }
}
