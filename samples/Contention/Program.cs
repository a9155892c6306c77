// A busy and healthy program: threads that compete for the same locks all the time, and get them.
using System.Runtime.CompilerServices;
using Samples;

namespace Contention;

internal static class Program
{
    public const string Usage =
        "Contention [--threads N] [--hold N] [--rounds N]\n" +
        "  --threads N  of each kind (default 4)\n" +
        "  --hold N     the register's lock is held N times as long (default 1)\n" +
        "  --rounds N   it is ready after so many sales (default 1000)\n";

    private static readonly Register register_ = new();
    private static readonly Tally tally_ = new();
    private static volatile bool isOver_;
    private static long rounds_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        int threads = arguments.Number("threads", 4);
        int rounds = arguments.Number("rounds", 1000);
        register_.Hold = arguments.Number("hold", 1);
        var all = new List<Thread>();
        for (int i = 0; i < threads; i++)
        {
            all.Add(new Thread(new ThreadStart(Sell)) { IsBackground = true, Name = $"sell-{i}" });
            all.Add(new Thread(new ThreadStart(Count)) { IsBackground = true, Name = $"count-{i}" });
        }
        all.ForEach(thread => thread.Start());
        // Monitor.LockContentionCount counts both kinds of locks.
        long before = Monitor.LockContentionCount;
        Actor.Until(() => Interlocked.Read(ref rounds_) > rounds && Monitor.LockContentionCount > before + 10);
        Scene.AtTheEnd(() =>
        {
            isOver_ = true;
            all.ForEach(thread => thread.Join());
            return register_.Sum == Interlocked.Read(ref rounds_) && tally_.Sum > 0 ? null : "a sale is lost";
        });
    }

    private static void Sell()
    {
        while (!isOver_)
        {
            register_.Add();
            Interlocked.Increment(ref rounds_);
        }
    }

    private static void Count()
    {
        while (!isOver_) tally_.Add();
    }
}

/// <summary>Work under a Monitor, long enough to cause contention.</summary>
internal sealed class Register
{
    private long sum_;

    public int Hold { get; set; } = 1;

    public long Sum
    {
        get { lock (this) return sum_; }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Add()
    {
        lock (this)
        {
            sum_++;
            for (int i = 0; i < Hold; i++) Thread.SpinWait(2000);
        }
        Thread.Sleep(1);
    }
}

/// <summary>The same under a Lock, if the runtime has it.</summary>
internal sealed class Tally
{
#if NET9_0_OR_GREATER
    private readonly Lock gate_ = new();
#else
    private readonly object gate_ = new();
#endif
    private long sum_;

    public long Sum
    {
        get { lock (gate_) return sum_; }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Add()
    {
        lock (gate_)
        {
            sum_++;
            Thread.SpinWait(2000);
        }
        Thread.Sleep(1);
    }
}
