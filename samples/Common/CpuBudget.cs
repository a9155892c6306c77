using System.Runtime.InteropServices;

namespace Samples;

/// <summary>CPU time that the calling thread may still use, or rounds of work left to do.</summary>
internal sealed class CpuBudget
{
    private readonly long endNs_;
    private long rounds_;

    public CpuBudget(int milliseconds) => endNs_ = NowNs() + milliseconds * 1_000_000L;
    private CpuBudget(long rounds) => rounds_ = rounds;

    /// <summary>The same work, however long it takes.</summary>
    public static CpuBudget OfRounds(int count) => new((long)count);

    public bool IsLeft => endNs_ != 0 ? NowNs() < endNs_ : rounds_-- > 0;

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }

    private const int kThreadCpuTime = 3;  // CLOCK_THREAD_CPUTIME_ID

    [DllImport("libc", EntryPoint = "clock_gettime")]
    private static extern int GetTime(int clock, out TimeSpec time);

    private static long NowNs()
    {
        GetTime(kThreadCpuTime, out TimeSpec now);
        return now.Seconds * 1_000_000_000 + now.Nanoseconds;
    }
}
