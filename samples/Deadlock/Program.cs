// Threads that each hold a lock and want the next one's, in a cycle; others wait for the first
// lock.
using Samples;

namespace Deadlock;

internal static class Program
{
    public const string Usage =
        "Deadlock [--locks N] [--kind monitor|lock|mixed|timed] [--victims N] [--count N]\n" +
        "  --locks N    in each circle, 2 or 5 (default 2)\n" +
        "  --kind KIND  Monitor, System.Threading.Lock (.NET 9 and newer), or both by turns;\n" +
        "               timed: Monitor.TryEnter with a timeout, for 2 locks\n" +
        "  --victims N  threads that wait for a circle's first lock\n" +
        "  --count N    circles (default 1)\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        int locks = arguments.Number("locks", 2);
        int victims = arguments.Number("victims", 0);
        Action<Circle>[] steps = Steps(arguments.Text("kind") ?? "monitor");
        for (int i = arguments.Number("count", 1); i > 0; i--) Close(new Circle(locks), steps, victims);
    }

    private static void Close(Circle circle, Action<Circle>[] steps, int victims)
    {
        var actors = new List<Actor>();
        for (int i = 0; i < circle.Size; i++)
        {
            Action<Circle> step = steps[i];
            actors.Add(Actor.Start($"step-{i}", actor => circle.Take(actor, step)));
        }
        Actor.AwaitBlocked(actors);
        var crowd = new List<Actor>();
        for (int i = 0; i < victims; i++)
        {
            crowd.Add(Actor.Start($"victim-{i}", actor => Crowd.Wait(actor, circle, steps == Locks.Steps)));
        }
        Actor.AwaitBlocked(crowd);
    }

    private static Action<Circle>[] Steps(string kind) => kind switch
    {
        "lock" => Locks.Steps,
        "mixed" => Mixed.Steps,
        "timed" => Timed.Steps,
        _ => Monitors.Steps,
    };
}
