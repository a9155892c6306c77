// Asynchronous work that cannot proceed: it needs the thread that waits for it, a semaphore that
// nobody will release, itself, a class whose constructor waits for it, or a lock that the thread
// has that waits for its end.
using Samples;

namespace AsyncDeadlock;

internal static class Program
{
    public const string Usage =
        "AsyncDeadlock [--way context|semaphore|cycle|class|callback] [--count N]\n" +
        "  --way WAY  what it waits for (default context)\n" +
        "  --count N  so many who wait for the semaphore (default 20)\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        switch (arguments.Text("way"))
        {
            case "semaphore":
                Turnstile.Build(arguments.Number("count", 20));
                break;
            case "cycle":
                Report.Build();
                break;
            case "class":
                Loading.Build();
                break;
            case "callback":
                Session.Build();
                break;
            default:
                Window.Build();
                break;
        }
    }
}
