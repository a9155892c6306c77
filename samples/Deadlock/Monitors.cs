using Samples;

namespace Deadlock;

/// <summary>Threads that use Monitor.</summary>
internal static class Monitors
{
    public static readonly Action<Circle>[] Steps = [Book, Post, Reserve, Review, Close];

    private static void Book(Circle circle)
    {
        lock (circle.Account)
        {
            circle.Meet();
            lock (circle.Ledger) Actor.Never();
        }
    }

    private static void Post(Circle circle)
    {
        lock (circle.Ledger)
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
            lock (circle.Audit) Actor.Never();
        }
    }

    private static void Review(Circle circle)
    {
        lock (circle.Audit)
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

/// <summary>Threads that wait behind a cycle.</summary>
internal static class Crowd
{
    public static void Wait(Actor actor, Circle circle, bool isGate)
    {
        actor.Commit();
        if (isGate) WaitForGate(circle);
        else WaitForMonitor(circle);
    }

    private static void WaitForMonitor(Circle circle)
    {
        lock (circle.Account) Actor.Never();
    }

    private static void WaitForGate(Circle circle)
    {
        lock (circle.Account.Gate) Actor.Never();
    }
}
