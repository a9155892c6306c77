// Everything here waits for long, and every waiter can eventually proceed.
using Samples;

namespace SlowButAlive;

internal static class Program
{
    public const string Usage = "SlowButAlive\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, Build);
    }

    public static void Build()
    {
        var kitchen = new Kitchen();
        var office = new Office();
        kitchen.Open();
        office.Open();
        Actor.Until(() => kitchen.IsBusy && office.IsBusy);
        Scene.AtTheEnd(() => kitchen.Close() ?? office.Close());
    }
}
