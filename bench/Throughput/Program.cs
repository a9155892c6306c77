// Throws and catches through a number of frames for a given time, and reports how often. Prints for
// each depth `DEPTH THROUGHPUT CPU` (after a warm-up: exceptions per second, and per second of the
// throwing thread's CPU time), then `total N`: all exceptions thrown, including the warm-up.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Samples;

var arguments = new Arguments(args, "Throughput [--depths LIST] [--milliseconds N]");
int milliseconds = arguments.Number("milliseconds", 1500);
string[] depths = (arguments.Text("depths") ?? "10,20,50").Split(',');

long total = 0;
foreach (string depth in depths)
{
    int frames = int.Parse(depth);
    Measure(frames, milliseconds / 2);  // let tiered compilation settle
    (double rate, double cpuRate) = Measure(frames, milliseconds);
    Console.WriteLine($"{frames} {rate:F0} {cpuRate:F0}");
}
Console.WriteLine($"total {total}");

(double Rate, double CpuRate) Measure(int frames, int duration)
{
    long thrown = 0;
    double cpu = Native.ThreadSeconds();
    var watch = Stopwatch.StartNew();
    while (watch.ElapsedMilliseconds < duration)
    {
        for (int i = 0; i < 20; i++) thrown += Catch(frames);
    }
    double seconds = watch.Elapsed.TotalSeconds;
    cpu = Native.ThreadSeconds() - cpu;
    total += thrown;
    return (thrown / seconds, thrown / cpu);
}

[MethodImpl(MethodImplOptions.NoInlining)]
static int Catch(int frames)
{
    try
    {
        return Descend(frames);
    }
    catch (BenchException)
    {
        return 1;
    }
}

[MethodImpl(MethodImplOptions.NoInlining)]
static int Descend(int frames)
{
    if (frames == 1) throw new BenchException("thrown by the benchmark");
    return Descend(frames - 1) + 1;
}

internal sealed class BenchException(string message) : Exception(message);

internal static class Native
{
    private const int kThreadCpuTime = 3;  // CLOCK_THREAD_CPUTIME_ID

    public static double ThreadSeconds()
    {
        return ClockGetTime(kThreadCpuTime, out Timespec now) == 0 ? now.Seconds + now.Nanoseconds / 1e9 : double.NaN;
    }

    [DllImport("libc", EntryPoint = "clock_gettime")]
    private static extern int ClockGetTime(int clock, out Timespec time);

    private struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
