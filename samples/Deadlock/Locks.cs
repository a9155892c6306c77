using Samples;

namespace Deadlock;

/// <summary>Threads that use System.Threading.Lock.</summary>
internal static class Locks
{
    public static readonly Action<Circle>[] Steps = [Book, Post, Reserve, Review, Close];

    private static void Book(Circle circle)
    {
        lock (circle.Account.Gate)
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
            lock (circle.IsLast(1) ? circle.Account.Gate : circle.Stock.Gate) Actor.Never();
        }
    }

    private static void Reserve(Circle circle)
    {
        lock (circle.Stock.Gate)
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
            lock (circle.Journal.Gate) Actor.Never();
        }
    }

    private static void Close(Circle circle)
    {
        lock (circle.Journal.Gate)
        {
            circle.Meet();
            lock (circle.Account.Gate) Actor.Never();
        }
    }
}
