// One thread that allocates small objects as fast as it can, some frames deep, and keeps a few.
// Prints `ready`; for each line of its input, a number of milliseconds, it works for that time and
// replies with the number of objects and the thread's CPU time in seconds.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

object[] kept = new object[4096];
Console.WriteLine("ready");
while (Console.ReadLine() is { } line)
{
    long end = Stopwatch.GetTimestamp() + long.Parse(line) * Stopwatch.Frequency / 1000;
    double cpu = Native.ThreadSeconds();
    long made = 0;
    while (Stopwatch.GetTimestamp() < end) made += Descend(10, kept);
    Console.WriteLine($"{made} {Native.ThreadSeconds() - cpu:F6}");
}

[MethodImpl(MethodImplOptions.NoInlining)]
static int Descend(int frames, object[] kept)
{
    return frames == 0 ? Make(kept) : Descend(frames - 1, kept) + 1 - 1;
}

[MethodImpl(MethodImplOptions.NoInlining)]
static int Make(object[] kept)
{
    const int kObjects = 2000;
    for (int i = 0; i < kObjects; i++)
    {
        object made = (i & 3) switch { 0 => new byte[64], 1 => new Node(i, null), 2 => new int[32], _ => new string('x', 20) };
        if ((i & 63) == 0) kept[(i >> 6) * 61 & 4095] = made;
    }
    return kObjects;
}

internal sealed class Node(int value, Node? next)
{
    public readonly Node? Next = next;
    public readonly int Value = value;
}

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
