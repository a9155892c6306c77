using System.Runtime.InteropServices;

namespace OwnSignals;

/// <summary>The sample's calls into libc, like those of an application's native code (glibc,
/// x64).</summary>
internal static unsafe class Libc
{
    public const int Urgent = 23;      // SIGURG
    public const int Interrupted = 4;  // EINTR
    public const int Restart = 0x10000000;  // SA_RESTART
    private const int kBlock = 0, kNonBlocking = 0x800, kGetThreadId = 186, kThreadCpuTime = 3;
    private const int kRuntimesOwn = 34;  // SIGRTMIN: the runtime uses it to stop threads

    [StructLayout(LayoutKind.Sequential)]
    public struct SignalSet
    {
        public fixed ulong Words[16];

        public readonly bool Has(int signal) => (Words[0] >> (signal - 1) & 1) != 0;
        public readonly string Names => Words[0] == 0 ? "none" : string.Join(' ', Numbers());
        private readonly IEnumerable<int> Numbers()
        {
            ulong bits = Words[0];
            return Enumerable.Range(1, 64).Where(signal => (bits >> (signal - 1) & 1) != 0);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Action
    {
        public nint Handler;
        public SignalSet Mask;
        public int Flags;
        public nint Restorer;
    }

    [DllImport("libc", EntryPoint = "pthread_sigmask")]
    private static extern int SetMask(int how, in SignalSet set, SignalSet* before);
    [DllImport("libc", EntryPoint = "sigpending")]
    private static extern int GetPending(out SignalSet set);
    [DllImport("libc", EntryPoint = "sigtimedwait")]
    private static extern int WaitFor(in SignalSet set, void* info, long* timeout);
    [DllImport("libc", EntryPoint = "signalfd")]
    private static extern int OpenSignals(int file, in SignalSet set, int flags);
    [DllImport("libc", EntryPoint = "sigaction")]
    private static extern int SetAction(int signal, in Action action, Action* before);
    [DllImport("libc", EntryPoint = "syscall")]
    private static extern nint Call(nint number);
    [DllImport("libc", EntryPoint = "clock_gettime")]
    private static extern int GetTime(int clock, long* secondsAndNanoseconds);
    [DllImport("libc", EntryPoint = "pipe")]
    public static extern int Pipe(int* files);
    [DllImport("libc", EntryPoint = "read", SetLastError = true)]
    public static extern nint Read(int file, void* bytes, nint count);
    [DllImport("libc", EntryPoint = "write")]
    public static extern nint Write(int file, void* bytes, nint count);
    [DllImport("libc", EntryPoint = "close")]
    public static extern int Close(int file);
    [DllImport("libc", EntryPoint = "tgkill")]
    public static extern int SendToThread(int process, int thread, int signal);
    [DllImport("libc", EntryPoint = "kill")]
    public static extern int Send(int process, int signal);

    /// <summary>All signals except the runtime's own.</summary>
    private static SignalSet All
    {
        get
        {
            SignalSet all;
            for (int i = 0; i < 16; i++) all.Words[i] = ulong.MaxValue;
            all.Words[0] &= ~(1ul << (kRuntimesOwn - 1));
            return all;
        }
    }

    /// <summary>The CPU time of the calling thread.</summary>
    public static long ThreadCpuNs
    {
        get
        {
            long* time = stackalloc long[2];
            GetTime(kThreadCpuTime, time);
            return time[0] * 1_000_000_000 + time[1];
        }
    }

    public static int ThreadId => (int)Call(kGetThreadId);
    public static void BlockAll() => SetMask(kBlock, All, null);

    public static SignalSet Pending
    {
        get
        {
            GetPending(out SignalSet pending);
            pending.Words[0] &= ~(1ul << (kRuntimesOwn - 1));
            return pending;
        }
    }

    /// <summary>A signal pending for this thread; 0: none within a millisecond.</summary>
    public static int WaitForAny()
    {
        long* timeout = stackalloc long[] { 0, 1_000_000 };  // seconds and nanoseconds
        return Math.Max(0, WaitFor(All, null, timeout));
    }

    /// <summary>The same from a descriptor; 0: none pending.</summary>
    public static int ReadSignal()
    {
        int file = OpenSignals(-1, All, kNonBlocking);
        uint* info = stackalloc uint[32];
        nint got = Read(file, info, 128);
        Close(file);
        return got == 128 ? (int)info[0] : 0;
    }

    /// <summary>A native handler that does nothing.</summary>
    public static void HandleUrgent(int flags)
    {
        var action = new Action { Handler = NativeLibrary.GetExport(NativeLibrary.Load("libc.so.6"), "sched_yield"), Flags = flags };
        SetAction(Urgent, action, null);
    }

    public static void IgnoreUrgent() => SetAction(Urgent, new Action(), null);
}
