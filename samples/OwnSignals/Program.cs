// An application that handles, blocks and waits for signals of its own, while its threads use CPU
// time. It prints what it observes, which must be the same with and without a recorder.
using System.Diagnostics;
using System.Diagnostics.Tracing;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Samples;

namespace OwnSignals;

internal static unsafe class Program
{
    public const string Usage = "OwnSignals\n";

    public static void Main(string[] args) => Scene.Play(new Arguments(args, Usage + Scene.Usage), () => Build(null));

    public static void Build(Arguments? _)
    {
        using var faults = new FaultsInHandlers();
        foreach (Action part in (Action[])[Register, LookForForeign, Interrupt])
        {
            var thread = new Thread(() => part()) { Name = part.Method.Name };
            thread.Start();
            thread.Join();
        }
        Console.WriteLine($"null references in handlers: {(faults.AllCaught ? "all caught" : "missed")}");
    }

    /// <summary>Is called on the thread that begins to listen to the runtime's events, which may be
    /// one of a recorder. A null reference is a signal first.</summary>
    private sealed class FaultsInHandlers : EventListener
    {
        private int called_, caught_;

        public bool AllCaught => Volatile.Read(ref called_) == Volatile.Read(ref caught_);

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name == "Microsoft-Windows-DotNETRuntime") source.EventCommandExecuted += (_, _) => Fault(null);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void Fault(object? nothing)
        {
            Interlocked.Increment(ref called_);
            try
            {
                nothing!.ToString();
            }
            catch (NullReferenceException)
            {
                Interlocked.Increment(ref caught_);
            }
        }
    }

    /// <summary>Runs until this thread has used this much CPU time, however busy the cores
    /// are.</summary>
    private static void Use(int milliseconds)
    {
        for (long end = Libc.ThreadCpuNs + milliseconds * 1_000_000L; Libc.ThreadCpuNs < end;) Thread.SpinWait(100);
    }

    /// <summary>A registration is called as often as the signal is sent.</summary>
    private static void Register()
    {
        int called = 0;
        using var registration = PosixSignalRegistration.Create((PosixSignal)Libc.Urgent, _ => Interlocked.Increment(ref called));
        Use(1000);
        Console.WriteLine($"registration: {Volatile.Read(ref called)} unsent");
        Libc.Send(Environment.ProcessId, Libc.Urgent);
        while (Volatile.Read(ref called) == 0) Use(1);
        Use(500);
        Console.WriteLine($"registration: {Volatile.Read(ref called)} of 1 sent");
    }

    /// <summary>A thread that blocks signals receives those sent by others.</summary>
    private static void LookForForeign()
    {
        Use(100);
        Libc.BlockAll();
        Use(500);
        Console.WriteLine($"SIGURG pending: {Libc.Pending.Has(Libc.Urgent)}");
        // A recorder must first notice that this thread blocks signals.
        var patience = Stopwatch.StartNew();
        while (Libc.Pending.Names != "none" && patience.Elapsed.TotalSeconds < 60) Use(10);
        int pending = 0, waited = 0, read = 0;
        for (int i = 0; i < 100; i++)
        {
            Use(10);
            if (Libc.Pending.Names != "none") pending++;
            if (Libc.ReadSignal() != 0) read++;
            if (Libc.WaitForAny() != 0) waited++;
        }
        Console.WriteLine($"foreign: {pending} pending, {read} by signalfd, {waited} by sigtimedwait");
        Libc.SendToThread(Environment.ProcessId, Libc.ThreadId, Libc.Urgent);
        Console.WriteLine($"pending: {Libc.Pending.Names}");
        Console.WriteLine($"signalfd: {Libc.ReadSignal()}");
        Libc.SendToThread(Environment.ProcessId, Libc.ThreadId, Libc.Urgent);
        Console.WriteLine($"sigtimedwait: {Libc.WaitForAny()}");
    }

    /// <summary>A blocking read ends, or continues, depending on the flags of the signal's
    /// handler.</summary>
    private static void Interrupt()
    {
        int* files = stackalloc int[2];
        foreach (int flags in (int[])[0, Libc.Restart])
        {
            Libc.HandleUrgent(flags);
            Libc.Pipe(files);
            int reader = Libc.ThreadId, to = files[1];
            var sender = new Thread(() =>
            {
                while (!IsInRead(reader)) Thread.Sleep(1);
                Libc.SendToThread(Environment.ProcessId, reader, Libc.Urgent);
                Thread.Sleep(100);
                byte one = 1;
                Libc.Write(to, &one, 1);
            });
            sender.Start();
            Use(50);
            byte got;
            nint count = Libc.Read(files[0], &got, 1);
            bool interrupted = count < 0 && Marshal.GetLastPInvokeError() == Libc.Interrupted;
            sender.Join();
            Console.WriteLine($"read {(flags == 0 ? "without" : "with")} SA_RESTART: {(interrupted ? "EINTR" : $"{count} byte")}");
            Libc.Close(files[0]);
            Libc.Close(files[1]);
        }
        Libc.IgnoreUrgent();
    }

    /// <summary>Whether it is in the system call read(2), number 0.</summary>
    private static bool IsInRead(int thread)
    {
        try
        {
            return File.ReadAllText($"/proc/self/task/{thread}/syscall").StartsWith("0 ");
        }
        catch (IOException)
        {
            return false;
        }
    }
}
