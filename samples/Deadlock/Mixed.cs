using Samples;

namespace Deadlock;

/// <summary>Threads that use Monitor and System.Threading.Lock alternately.</summary>
internal static class Mixed
{
    public static readonly Action<Circle>[] Steps = [Book, Post, Reserve, Review, Close];

    private static void Book(Circle circle)
    {
        lock (circle.Account)
        {
            circle.Meet();
            lock (circle.Ledger.Gate) Actor.Never();
        }
    }

    private static void Post(Circle circle)
    {
        lock (circle.Ledger.Gate)
        {
            circle.Meet();
            lock (circle.IsLast(1) ? (object)circle.Account : circle.Stock) Actor.Never();
        }
    }

    private static void Reserve(Circle circle)
    {
        lock (circle.Stock)
        {
            circle.Meet();
            lock (circle.Audit.Gate) Actor.Never();
        }
    }

    private static void Review(Circle circle)
    {
        lock (circle.Audit.Gate)
        {
            circle.Meet();
            lock (circle.Journal) Actor.Never();
        }
    }

    private static void Close(Circle circle)
    {
        lock (circle.Journal)
        {
            circle.Meet();
            lock (circle.Account) Actor.Never();
        }
    }
}
