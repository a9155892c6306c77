using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace ExceptionStorm;

/// <summary>Ways to end for which the runtime reports no exception.</summary>
internal static class Fatal
{
    public static void Run(string how)
    {
        if (how == "overflow") Console.WriteLine(Deeper(1));
        else if (how == "violation") Console.WriteLine(Stray());
        else if (how == "exit") Leave();
        else if (how == "signal") EndBySignal();
        else GiveUp();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GiveUp() => Environment.FailFast("the ledger is corrupt");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Leave() => Environment.Exit(3);

    /// <summary>As hosts do: the handler of SIGTERM lets Main go on to its end.</summary>
    private static void EndBySignal()
    {
        using var ended = new ManualResetEventSlim();
        using PosixSignalRegistration registration = PosixSignalRegistration.Create(PosixSignal.SIGTERM, context =>
        {
            context.Cancel = true;
            ended.Set();
        });
        const int kTerminate = 15;
        Kill(Environment.ProcessId, kTerminate);
        ended.Wait();
    }

    [DllImport("libc", EntryPoint = "kill")]
    private static extern int Kill(int process, int signal);

    // Not a NullReferenceException: the address is not near null, and nothing is mapped there.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Stray() => Marshal.ReadInt32(new IntPtr(0x7ff0_0000_1000));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Deeper(int depth) => depth + Deeper(depth + 1) % 7;
}
