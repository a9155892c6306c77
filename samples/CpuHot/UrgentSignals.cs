using System.Runtime.InteropServices;
using Samples;

namespace CpuHot;

/// <summary>An application that uses SIGURG itself: every signal sent must arrive exactly
/// once.</summary>
internal sealed class UrgentSignals
{
    private const int kUrgent = 23;  // SIGURG

    [DllImport("libc", EntryPoint = "kill")]
    private static extern int Send(int process, int signal);

    private readonly PosixSignalRegistration registration_;
    private readonly Thread sender_;
    private readonly int count_;
    private int arrived_;

    public UrgentSignals(int count)
    {
        count_ = count;
        registration_ = PosixSignalRegistration.Create((PosixSignal)kUrgent, _ => Interlocked.Increment(ref arrived_));
        sender_ = new Thread(SendAll) { Name = "sender" };
        sender_.Start();
        Scene.AtTheEnd(() => arrived_ == count_ ? null : $"{arrived_} of {count_} signals arrived");
    }

    public void Finish()
    {
        sender_.Join();
        registration_.Dispose();
    }

    /// <summary>One after the other: the kernel does not queue two of the same.</summary>
    private void SendAll()
    {
        for (int i = 1; i <= count_; i++)
        {
            Send(Environment.ProcessId, kUrgent);
            while (Volatile.Read(ref arrived_) < i) Thread.Sleep(1);
        }
    }
}
