// Uses CPU time in known shares, on paths of every kind. See truth.json.
using Samples;

namespace CpuHot;

internal static class Program
{
    public const string Usage =
        "CpuHot [--ms N | --rounds N] [--slow METHOD] [--only CASE] [--signals N]\n" +
        "  --ms N       CPU time of each case (default 500)\n" +
        "  --rounds N   instead, the same work whatever it takes: so many rounds of each case\n" +
        "  --slow METHOD  Sixty, Thirty or Ten of the case shares: it takes twice as long\n" +
        "  --only CASE  this one alone: shares, recursion, generics, lambdas, async, native, tiny, framework, inlined\n" +
        "  --signals N  meanwhile handle SIGURG with a handler of its own, N times\n";

    private static readonly (string Name, Action<CpuBudget> Use)[] kCases =
    [
        ("shares", Shares.Use),
        ("recursion", Recursion.Use),
        ("generics", Generics.Use),
        ("lambdas", Lambdas.Use),
        ("async", AsyncWork.Use),
        ("native", Native.Use),
        ("tiny", Tiny.Use),
        ("framework", Framework.Use),
        ("inlined", Inlined.Use),
    ];

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        new Thread(() => Thread.Sleep(Timeout.Infinite)) { Name = "sleeper", IsBackground = true }.Start();
        var urgent = arguments.Number("signals", 0) is > 0 and int count ? new UrgentSignals(count) : null;
        int milliseconds = arguments.Number("ms", 500);
        int rounds = arguments.Number("rounds", 0);
        Shares.Slow = arguments.Text("slow");
        List<Thread> threads = kCases.Where(c => arguments.Text("only") is not { } only || c.Name == only)
                                     .Select(c => Start(c.Name, c.Use, Budget)).ToList();
        threads.ForEach(thread => thread.Join());
        urgent?.Finish();

        CpuBudget Budget() => rounds > 0 ? CpuBudget.OfRounds(rounds) : new CpuBudget(milliseconds);
    }

    private static Thread Start(string name, Action<CpuBudget> use, Func<CpuBudget> budget)
    {
        var thread = new Thread(() => use(budget())) { Name = name };
        thread.Start();
        return thread;
    }
}
