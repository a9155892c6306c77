// Pairs of threads that pass a lock back and forth: each takes it, works until the other one waits
// for it and `--work` units longer, and releases it. So every operation is one wait for a lock. A
// unit is a few tenths of a microsecond. Prints `ready`; replies to `measure MS` with operations,
// contentions (the runtime's own count) and seconds; exits at the end of its input.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Samples;

var arguments = new Arguments(args, "Contention [--pairs N] [--work N]");
int work = arguments.Number("work", 0);
var workers = new List<Worker>();
for (int i = 0; i < arguments.Number("pairs", 1); i++)
{
    object gate = new();
    Worker left = new(gate, work), right = new(gate, work);
    left.Start(right);
    right.Start(left);
    workers.AddRange([left, right]);
}
Console.WriteLine("ready");
while (Console.ReadLine() is { } line)
{
    long operations = Operations(), contentions = Monitor.LockContentionCount;
    var watch = Stopwatch.StartNew();
    Thread.Sleep(int.Parse(line.Split(' ')[1]));
    double seconds = watch.Elapsed.TotalSeconds;
    Console.WriteLine(FormattableString.Invariant(
        $"{Operations() - operations} {Monitor.LockContentionCount - contentions} {seconds}"));
}

long Operations() => workers.Sum(worker => worker.Operations);

internal sealed class Worker(object gate, int work)
{
    private readonly object gate_ = gate;
    private Thread? thread_;
    private long operations_;
    private uint value_ = 1;

    public long Operations => Volatile.Read(ref operations_);

    private bool IsWaiting =>
        thread_ != null && (thread_.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0;

    public void Start(Worker other)
    {
        thread_ = new Thread(() => Run(other)) { IsBackground = true };
        thread_.Start();
    }

    private void Run(Worker other)
    {
        while (true)
        {
            long seen;
            lock (gate_)
            {
                seen = other.Operations;
                Volatile.Write(ref operations_, operations_ + 1);
                while (!other.IsWaiting) Thread.Yield();
                Work(work);
            }
            while (other.Operations == seen) Thread.Yield();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Work(int units)
    {
        uint value = value_;
        for (int i = 0; i < units * 100; i++) value = value * 1664525 + 1013904223;
        value_ = value;
    }
}
