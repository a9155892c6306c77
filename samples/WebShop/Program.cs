// A web server and its clients in one process: known numbers of requests of each kind. It writes
// down how many there were and how long they took.
using System.Buffers;
using System.Diagnostics;
using System.Text.Json;
using Samples;

namespace WebShop;

internal static class Program
{
    private const string kUsage =
        "WebShop [--requests N] [--slow N] [--slow-ms N] [--failing N] [--closed N] [--held N]\n" +
        "        [--listen] [--clients N] [--stay] [--self-log FILE] [--measure] [--rent-after N]\n" +
        "  --requests N     fast ones (default 1000)\n" +
        "  --slow N         that wait for --slow-ms milliseconds (default 10, of 50)\n" +
        "  --failing N      with an exception that nothing handles (default 10)\n" +
        "  --closed N       that the shop answers with 503, without an exception (default 0)\n" +
        "  --held N         begun before `started`, and over after all others (default 0)\n" +
        "  --listen         the server's events are listened to from its start, as other tools do\n" +
        "  --clients N      at the same time (default 4)\n" +
        "  --stay           the server is there until the end (otherwise until it has served all)\n" +
        "  --self-log FILE  what was served, as JSON\n" +
        "  --measure        instead of all this: for each line of the input, a number of milliseconds, fast\n" +
        "                   requests for so long; answers with their number, seconds, and seconds of CPU time\n" +
        "  --rent-after N   instead of all this: after N microseconds, the first use of an ArrayPool\n";

    private static async Task Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        if (arguments.Text("rent-after") is not null)
        {
            RentAfter(TimeSpan.FromMicroseconds(arguments.Number("rent-after", 0)));
            return;
        }
        using ServerListener? listener = arguments.Has("listen") ? new ServerListener() : null;
        var shop = new Shop(arguments.Number("slow-ms", 50));
        using var customers = new Customers(await shop.Open(), arguments.Number("clients", 4));
        if (arguments.Has("measure"))
        {
            await Measure(customers);
            await shop.DisposeAsync();
            return;
        }

        int held = arguments.Number("held", 0);
        Task early = customers.AskAtOnce("/held", held);
        while (shop.Held < held) await Task.Delay(1);
        Scene.Play(arguments, () => Trade(arguments, shop, customers, early).GetAwaiter().GetResult());
    }

    private static async Task Trade(Arguments arguments, Shop shop, Customers customers, Task early)
    {
        int fast = arguments.Number("requests", 1000);
        int slow = arguments.Number("slow", 10);
        int failing = arguments.Number("failing", 10);
        int closed = arguments.Number("closed", 0);
        await customers.Ask("/item", fast);
        await customers.Ask("/report", slow);
        await customers.Ask("/broken", failing);
        await customers.Ask("/closed", closed);
        double seconds = customers.Seconds;
        shop.Release();
        await early;
        if (!arguments.Has("stay")) await shop.DisposeAsync();
        if (arguments.Text("self-log") is not { } log) return;
        Signals.Raise(log, JsonSerializer.Serialize(new
        {
            requests = fast + slow + failing + closed,
            failed = failing,
            closed,
            held = arguments.Number("held", 0),
            answered = customers.Answered,
            refused = customers.Refused,
            slow_ms = slow * arguments.Number("slow-ms", 50),
            client_ms = seconds * 1000,
        }));
    }

    /// <summary>Without a wait, so that the event source of ArrayPool is created at that very moment.</summary>
    private static void RentAfter(TimeSpan delay)
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(began) < delay) continue;
        ArrayPool<byte>.Shared.Return(ArrayPool<byte>.Shared.Rent(100));
    }

    private static async Task Measure(Customers customers)
    {
        Console.WriteLine("ready");
        while (Console.ReadLine() is { } line)
        {
            TimeSpan cpu = Process.GetCurrentProcess().TotalProcessorTime;
            var clock = Stopwatch.StartNew();
            int requests = await customers.AskFor("/item", TimeSpan.FromMilliseconds(int.Parse(line)));
            double seconds = clock.Elapsed.TotalSeconds;
            double used = (Process.GetCurrentProcess().TotalProcessorTime - cpu).TotalSeconds;
            Console.WriteLine(FormattableString.Invariant($"{requests} {seconds:f6} {used:f6}"));
        }
    }
}
