// Throws and catches through a number of frames for as long as it is told, and says how often.
// Prints for each depth `DEPTH THROUGHPUT` (exceptions a second, after a warm-up), then `total N`: all
// that were thrown, warm-up included.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Samples;

var arguments = new Arguments(args, "Throughput [--depths LIST] [--milliseconds N]");
int milliseconds = arguments.Number("milliseconds", 1500);
string[] depths = (arguments.Text("depths") ?? "10,20,50").Split(',');

long total = 0;
foreach (string depth in depths)
{
    int frames = int.Parse(depth);
    Measure(frames, milliseconds / 2);  // the JIT's tiers settle
    Console.WriteLine($"{frames} {Measure(frames, milliseconds):F0}");
}
Console.WriteLine($"total {total}");

double Measure(int frames, int duration)
{
    long thrown = 0;
    var watch = Stopwatch.StartNew();
    while (watch.ElapsedMilliseconds < duration)
    {
        for (int i = 0; i < 20; i++) thrown += Catch(frames);
    }
    double seconds = watch.Elapsed.TotalSeconds;
    total += thrown;
    return thrown / seconds;
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
