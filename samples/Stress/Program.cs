// Healthy and busy: for as long as it lives, threads and tasks compete for locks of every kind, in
// the right order, and each round ends.
using Samples;

namespace Stress;

internal static class Program
{
    public const string Usage =
        "Stress [--threads N]\n" +
        "  --threads N  of each kind (default 3)\n";

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        var bank = new Bank();
        bank.Open(arguments.Number("threads", 3));
        Actor.Until(() => bank.Rounds > 100);
        Scene.AtTheEnd(bank.Close);
    }
}
