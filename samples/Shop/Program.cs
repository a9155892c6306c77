// A typical shop: minimal API and controllers, EF Core on SQLite, caches, hosted services,
// channels, and an HttpClient to itself; its customers are a second process. Healthy, unless a
// problem is enabled.
//
// It prints one line each: `ready` when it serves requests, `port N`, and `shown` when each problem
// has been visible for long enough (without one, after the same time), or `not shown` when --seconds
// have passed without. It exits at the end of its input, or after --seconds.
using System.Diagnostics;
using Samples;
using Shop.Load;
using Shop.Running;
using Shop.Web;

namespace Shop;

internal static class Program
{
    private const string kUsage =
        "Shop [--problem NAME[,NAME...]] [--list] [--rate N] [--seconds N] [--customers URL]\n" +
        "  --problem LIST   what goes wrong; names as --list has them, or all\n" +
        "  --list           all problems, and what each is; their truth is in truth.json\n" +
        "  --rate N         requests a second (default 80); 0: no customers\n" +
        "  --seconds N      the longest that it runs (default 600)\n" +
        "  --customers URL  be the customers of the shop there, not the shop";

    private static async Task<int> Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        int rate = arguments.Number("rate", 80);
        TimeSpan longest = TimeSpan.FromSeconds(arguments.Number("seconds", 600));
        if (arguments.Has("list"))
        {
            foreach (Problem problem in Problems.All) Console.WriteLine($"{problem.Name,-22}{problem.About}");
            return 0;
        }
        if (arguments.Text("customers") is { } url)
        {
            EndWithInput();
            await new Customers(new Uri(url), rate).Buy(longest);
            return 0;
        }
        if (!Activate(arguments.Text("problem"))) return 64;

        using var database = new Data.DatabaseFile();
        await using Server server = await Server.Open(database);
        Console.WriteLine("ready");
        Console.WriteLine($"port {server.Address.Port}");
        using Process? customers = rate == 0 ? null : CustomerProcess.Start(server.Address, rate, longest);
        await Run(longest);
        CustomerProcess.End(customers);
        // Requests may hang for good: some problems are about that. The process must not.
        ExitAfter(TimeSpan.FromSeconds(5));
        await server.Stop(TimeSpan.FromSeconds(1));
        database.Dispose();
        Environment.Exit(0);
        return 0;
    }

    private static bool Activate(string? list)
    {
        string[] names = list is null ? [] : list == "all" ? [.. Problems.All.Select(problem => problem.Name)] : list.Split(',');
        foreach (string name in names)
        {
            if (Problems.All.Any(problem => problem.Name == name)) continue;
            Console.Error.WriteLine($"{name}: no such problem. --list has all.");
            return false;
        }
        Quirks.Activate(names);
        return true;
    }

    /// <summary>Runs until the input ends or the time is up. On threads of its own: the pool may be
    /// the problem.</summary>
    private static Task Run(TimeSpan longest)
    {
        var done = new TaskCompletionSource();
        var clock = Stopwatch.StartNew();
        new Thread(() =>
        {
            while (!Problems.HaveShown(clock.Elapsed) && clock.Elapsed < longest) Thread.Sleep(100);
            Console.WriteLine(Problems.HaveShown(clock.Elapsed) ? "shown" : "not shown");
            while (clock.Elapsed < longest) Thread.Sleep(100);
            done.TrySetResult();
        }) { IsBackground = true, Name = "clock" }.Start();
        new Thread(() =>
        {
            while (Console.ReadLine() != null) { }
            done.TrySetResult();
        }) { IsBackground = true, Name = "input" }.Start();
        return done.Task;
    }

    private static void EndWithInput() => new Thread(() =>
    {
        while (Console.ReadLine() != null) { }
        Environment.Exit(0);
    }) { IsBackground = true, Name = "input" }.Start();

    private static void ExitAfter(TimeSpan time) => new Thread(() =>
    {
        Thread.Sleep(time);
        Environment.Exit(0);
    }) { IsBackground = true, Name = "end" }.Start();
}
