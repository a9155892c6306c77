// Threads that only compute, on stacks of about twenty frames, including framework code. Prints
// `ready`; replies to `measure MS` with operations and seconds; exits at the end of its input.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Samples;

var arguments = new Arguments(args, "Busy [--threads N]");
List<Worker> workers = Enumerable.Range(0, arguments.Number("threads", 2)).Select(_ => new Worker()).ToList();
workers.ForEach(worker => worker.Start());
Console.WriteLine("ready");
while (Console.ReadLine() is { } line)
{
    long operations = workers.Sum(worker => worker.Operations);
    var watch = Stopwatch.StartNew();
    Thread.Sleep(int.Parse(line.Split(' ')[1]));
    double seconds = watch.Elapsed.TotalSeconds;
    Console.WriteLine(FormattableString.Invariant(
        $"{workers.Sum(worker => worker.Operations) - operations} {seconds}"));
}

internal sealed class Worker
{
    private const int kDepth = 15;

    private readonly int[] numbers_ = new int[64];
    private long operations_;
    private uint value_ = 1;

    public long Operations => Volatile.Read(ref operations_);

    public void Start() => new Thread(Run) { IsBackground = true }.Start();

    private void Run()
    {
        while (true)
        {
            Dive(kDepth);
            Volatile.Write(ref operations_, operations_ + 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private uint Dive(int depth) => depth > 0 ? Dive(depth - 1) + 1 : Compute();

    [MethodImpl(MethodImplOptions.NoInlining)]
    private uint Compute()
    {
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < numbers_.Length; i++) numbers_[i] = (int)(value_ = value_ * 1664525 + 1013904223);
            Array.Sort(numbers_, (a, b) => a.CompareTo(b));
        }
        return value_;
    }
}
