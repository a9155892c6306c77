// Throws exceptions along distinct paths, each a known number of times: truth.json says which.
using System.Diagnostics;
using Samples;

namespace ExceptionStorm;

internal static class Program
{
    private const string kUsage =
        "ExceptionStorm [--scale N] [--rounds N] [--every MS] [--twice PATH] [--wait] [--go PREFIX] [--linger] [--late wrap|rethrow]\n" +
        "               [--end FILE] [--unhandled main|thread|pool|rethrow] [--fatal fast|overflow|violation|exit] [--ballast N] [--tick FILE] [--flat N] [--threads N] [--generic]\n" +
        "               [--children N] [--self-log FILE]\n" +
        "  --scale N        each path as often as truth.json says, times N (default 1)\n" +
        "  --rounds N       the whole plan N times (default 1)\n" +
        "  --late HOW       before the plan, an exception that is caught a second after it was thrown in a handler\n" +
        "  --every MS       a round each so many milliseconds, if it does not take longer\n" +
        "  --twice PATH     that one twice as often: Deep.Run, Shapes.RunLambda, ...\n" +
        "  --wait           begin after a line on the standard input\n" +
        "  --go PREFIX      round K begins once the file PREFIX.K exists and ends with PREFIX.K.done\n" +
        "  --linger         stay until the standard input ends\n" +
        "  --end FILE       stay until FILE exists\n" +
        "  --unhandled HOW  end with an exception that nobody catches\n" +
        "  --fatal HOW      end with Environment.FailFast, a stack overflow, an access violation, Environment.Exit or SIGTERM\n" +
        "  --ballast N      before that, hold N objects of one type\n" +
        "  --tick FILE      instead of the plan: throw until killed, the count kept in FILE\n" +
        "  --flat N         instead of the plan: on each of --threads (default 4), N throws as fast as can be\n" +
        "  --generic        ... of generic types\n" +
        "  --unhandled HOW  ... for ever, while another thread throws N of one type and place and catches all but the last\n" +
        "  --children N     besides, N processes that do the same at the same time, without options\n" +
        "  --self-log FILE  write what AppDomain.FirstChanceException saw, as JSON";

    private static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        Thread.CurrentThread.Name = "storm-main";
        SelfLog? log = arguments.Text("self-log") is { } logFile ? new SelfLog(logFile) : null;

        Console.WriteLine("ready");
        if (arguments.Has("wait")) Console.ReadLine();
        if (arguments.Text("tick") is { } counter) Ticker.Run(counter);

        if (arguments.Number("flat", 0) is > 0 and int flat)
        {
            int threads = arguments.Number("threads", 4);
            if (arguments.Text("unhandled") is { } fails) Flat.Fail(threads, flat, fails);
            Flat.Run(threads, flat, arguments.Has("generic"));
            Console.WriteLine("done");
            return;
        }

        List<Process> children = StartChildren(arguments.Number("children", 0));
        int scale = arguments.Number("scale", 1);
        int rounds = arguments.Number("rounds", 1);
        string? go = arguments.Text("go");
        int every = arguments.Number("every", 0);
        if (arguments.Text("late") is { } late) Late.Run(late);
        Plan.Twice = arguments.Text("twice");
        var time = Stopwatch.StartNew();
        for (int round = 1; round <= rounds; round++)
        {
            if (go != null) Signals.WaitFor($"{go}.{round}");
            long early = (round - 1L) * every - time.ElapsedMilliseconds;
            if (early > 0) Thread.Sleep((int)early);
            Plan.Run(scale, isFirstRound: round == 1);
            if (go != null) Signals.Raise($"{go}.{round}.done");
        }

        foreach (Process child in children) child.WaitForExit();
        log?.Write();
        Console.WriteLine("done");
        if (arguments.Has("linger")) while (Console.ReadLine() != null) { }
        if (arguments.Text("end") is { } end) Signals.WaitFor(end);
        Ballast.Held = Enumerable.Range(0, arguments.Number("ballast", 0)).Select(_ => new Ballast()).ToArray();
        if (arguments.Text("unhandled") is { } how) Unhandled.Run(how);
        if (arguments.Text("fatal") is { } fatal) Fatal.Run(fatal);
    }

    private static List<Process> StartChildren(int count)
    {
        string program = Environment.ProcessPath!;
        string assembly = Environment.GetCommandLineArgs()[0];
        bool isHosted = Path.GetFileNameWithoutExtension(program) == "dotnet";
        var children = new List<Process>();
        for (int i = 0; i < count; i++)
        {
            var start = new ProcessStartInfo(program) { RedirectStandardOutput = true };
            if (isHosted) start.ArgumentList.Add(assembly);
            children.Add(Process.Start(start)!);
        }
        return children;
    }
}

/// <summary>What is in memory when the process ends.</summary>
internal sealed class Ballast
{
    internal static Ballast[] Held = [];
}
