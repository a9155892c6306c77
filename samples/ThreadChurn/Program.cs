// Threads with and without a name, started by pool workers all the time. It requests no collection,
// and allocates few objects.
using System.Runtime.CompilerServices;
using Samples;

namespace ThreadChurn;

internal static class Program
{
    private const string kUsage =
        "ThreadChurn [--rounds N]\n" +
        "  --rounds N   each starts a thread with a name and one without (default 200)\n";

    private static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        int rounds = arguments.Number("rounds", 200);
        Scene.Play(arguments, () =>
        {
            const int kStarters = 4;
            var starters = new Task[kStarters];
            for (int i = 0; i < kStarters; i++)
            {
                int first = i;
                starters[i] = Task.Run(() =>
                {
                    for (int round = first; round < rounds; round += kStarters)
                    {
                        Thread named = StartNamed("churn-" + round);
                        Thread unnamed = StartUnnamed();
                        named.Join();
                        unnamed.Join();
                    }
                });
            }
            Task.WaitAll(starters);
        });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Thread StartNamed(string name)
    {
        var thread = new Thread(Work) { Name = name };
        thread.Start();
        return thread;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Thread StartUnnamed()
    {
        var thread = new Thread(Work);
        thread.Start();
        return thread;
    }

    private static void Work() => Thread.Sleep(1);
}
