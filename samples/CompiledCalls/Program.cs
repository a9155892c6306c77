// Calls through compiled expressions, as ASP.NET Core makes them for actions and handlers: the JIT
// compiler puts the called methods, which are small, into a dynamic method, so they have no frames
// of their own.
using System.Linq.Expressions;
using System.Runtime.CompilerServices;
using Samples;

namespace CompiledCalls;

internal static class Program
{
    public const string Usage =
        "CompiledCalls\n" +
        "  a thread that waits in Counter.Take, and one that uses CPU time in Counter.Spin, until the end\n";

    private static volatile bool isOver_;
    private static int taken_, spun_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, Build);
    }

    public static void Build()
    {
        Action<Counter> take = Compile(nameof(Counter.Take)), spin = Compile(nameof(Counter.Spin));
        var counter = new Counter();
        var taker = new Thread(() => take(counter)) { IsBackground = true, Name = "taker" };
        var spinner = new Thread(() => { while (!isOver_) { spin(counter); Volatile.Write(ref spun_, spun_ + 1); } }) { IsBackground = true, Name = "spinner" };
        taker.Start();
        spinner.Start();
        // Some tenths of a second of CPU time, for enough samples.
        while (Volatile.Read(ref spun_) < 300) Thread.Sleep(1);
        while (Volatile.Read(ref taken_) == 0 || (taker.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
        Scene.AtTheEnd(() =>
        {
            isOver_ = true;
            counter.Open();
            return taker.Join(TimeSpan.FromSeconds(30)) && spinner.Join(TimeSpan.FromSeconds(30)) ? null : "still running";
        });
    }

    public static void Took() => Volatile.Write(ref taken_, 1);

    private static Action<Counter> Compile(string method)
    {
        ParameterExpression counter = Expression.Parameter(typeof(Counter));
        return Expression.Lambda<Action<Counter>>(Expression.Call(counter, typeof(Counter).GetMethod(method)!), counter)
            .Compile();
    }
}

internal sealed class Counter
{
    private readonly ManualResetEventSlim isOpen_ = new();
    private long count_;

    public void Open() => isOpen_.Set();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take()
    {
        Program.Took();
        isOpen_.Wait();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Spin()
    {
        for (int i = 0; i < 1_000_000; i++) count_ += i;
    }
}
