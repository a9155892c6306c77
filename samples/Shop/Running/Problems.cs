using Shop.Payments;

namespace Shop.Running;

/// <summary>
/// The problems that can be enabled. A problem has shown itself once its code has run `Times`
/// times, `Until` holds, and it has been enabled for `Seconds`.
/// </summary>
internal sealed record Problem(string Name, string About, int Times = 100, int Seconds = 15, Func<bool>? Until = null);

internal static class Problems
{
    public static readonly Problem[] All =
    [
        new("cache-static", "a static dictionary gets an entry with each product that is shown"),
        new("cache-container", "so does a singleton of the container"),
        new("cache-memory", "entries of IMemoryCache have keys that never come again, and no end"),
        new("cache-local", "a set that a thread's running method holds in a local"),
        new("list-async", "a list that a hosted service holds in a local of its async method"),
        new("event-handler", "a handler for each request, never taken off"),
        new("timer", "a timer for each request, never disposed", 60),
        new("closure", "a callback for each request on a token that lives as long as the process", 60),
        new("handles", "a GCHandle for each picture, never freed", 50),
        new("hot-linq", "LINQ over everything, for each search", 50),
        new("hot-regex", "a regular expression that backtracks, behind wrappers", 50),
        new("hot-inlined", "a method that the JIT inlines takes nearly all the time", 40),
        new("exception-swallowed", "middleware that throws and swallows, with each request"),
        new("failing-route", "a route fails for every third order", 30),
        new("lock-sleep", "a thread sleeps and holds a lock that others want"),
        new("lock-two-paths", "a lock that is held too long, and wanted along two paths"),
        new("task-result", "Task.Result in a request", 80),
        new("task-wait", "Task.Wait in a request", 40),
        new("task-getresult", "GetAwaiter().GetResult() in middleware", 80),
        new("pool-tasks", "work on the pool blocks on tasks", 30),
        new("pool-sleep", "work on the pool sleeps", 30),
        new("never-completed", "nobody completes what async methods await", 60),
        new("threads", "a thread for each label, and none ends", 40),
        // Eight may also wait in turn, where the machine is slow: for a deadlock none of them ends.
        new("lock-cycle", "two locks, taken in either order", 1, 10,
            () => Accounts.Open >= 8 && Accounts.Idle >= TimeSpan.FromSeconds(5)),
        new("async-deadlock", "an async method waits for the semaphore that its caller holds", 8, 10),
        new("large-strings", "a report is put together by adding to a string", 30),
        new("gc-collect", "collections on request", 50),
        new("n-plus-one", "a query for each order of a customer", 50),
        new("memory-spike", "much memory for a moment, and no leak", 3),
    ];

    public static bool HaveShown(TimeSpan running)
    {
        if (!Quirks.Active.Any()) return running.TotalSeconds >= 15;
        return Quirks.Active.All(name =>
        {
            Problem problem = All.First(one => one.Name == name);
            return running.TotalSeconds >= problem.Seconds && Quirks.Asked(name) >= problem.Times &&
                   (problem.Until is null || problem.Until());
        });
    }
}
