// More work items than the pool has threads, and each blocks its thread on a slow service: the
// queue does not move while every worker waits.
using System.Runtime.CompilerServices;
using Samples;

namespace PoolStarvation;

internal static class Program
{
    public const string Usage =
        "PoolStarvation [--items N]\n" +
        "  --items N  pieces of work (default 400)\n";

    private static readonly ManualResetEvent answer_ = new(false);
    private static int started_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        int items = arguments.Number("items", 400);
        for (int i = 0; i < items; i++) ThreadPool.UnsafeQueueUserWorkItem(_ => Handle(), null);
        ThreadPool.GetMinThreads(out int workers, out int _);
        // The pool has noticed the starvation and has added a thread.
        Actor.Until(() => Volatile.Read(ref started_) > workers);
    }

    private static void Handle()
    {
        Interlocked.Increment(ref started_);
        CallService();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CallService() => answer_.WaitOne();
}
