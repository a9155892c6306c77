using System.Diagnostics;

namespace BigHeap;

/// <summary>A thread that wakes every millisecond and records the longest time that it did not
/// run.</summary>
internal sealed class Ticker : IDisposable
{
    private readonly Thread thread_;
    private long largest_;
    private volatile bool isOver_;

    public Ticker()
    {
        thread_ = new Thread(Run) { IsBackground = true, Name = "ticker", Priority = ThreadPriority.Highest };
        thread_.Start();
    }

    /// <summary>In milliseconds, since the last call.</summary>
    public double TakeLargestGap()
    {
        Thread.Sleep(5);  // include what has happened until now
        return Interlocked.Exchange(ref largest_, 0) * 1000.0 / Stopwatch.Frequency;
    }

    private void Run()
    {
        for (long last = Stopwatch.GetTimestamp(); !isOver_;)
        {
            Thread.Sleep(1);
            long now = Stopwatch.GetTimestamp();
            if (now - last > Interlocked.Read(ref largest_)) Interlocked.Exchange(ref largest_, now - last);
            last = now;
        }
    }

    public void Dispose()
    {
        isOver_ = true;
        thread_.Join();
    }
}
