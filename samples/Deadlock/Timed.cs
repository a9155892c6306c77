using Samples;

namespace Deadlock;

/// <summary>Threads that give up, after longer than any test takes.</summary>
internal static class Timed
{
    public static readonly Action<Circle>[] Steps = [Book, Post];
    private static readonly TimeSpan Patience = TimeSpan.FromHours(1);

    private static void Book(Circle circle)
    {
        lock (circle.Account)
        {
            circle.Meet();
            if (Monitor.TryEnter(circle.Ledger, Patience)) Actor.Never();
        }
    }

    private static void Post(Circle circle)
    {
        lock (circle.Ledger)
        {
            circle.Meet();
            if (Monitor.TryEnter(circle.Account, Patience)) Actor.Never();
        }
    }
}
