using System.Runtime.InteropServices;
using Samples;

namespace ManyThreads;

/// <summary>Threads that call a library in Go, which does its work on threads of its own.</summary>
internal static class Goroutines
{
    private const long kSteps = 20_000;

    [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
    private delegate void Spread(long steps);

    /// <summary>With a file `then`, prints when Go's runtime has started, and continues once the
    /// file exists.</summary>
    public static void Run(string library, int threads, int calls, string? then)
    {
        var spread = Marshal.GetDelegateForFunctionPointer<Spread>(
            NativeLibrary.GetExport(NativeLibrary.Load(library), "Spread"));
        if (then != null)
        {
            Console.WriteLine("loaded");
            Signals.WaitFor(then);
        }
        Crowd.Run(threads, "calling", () =>
        {
            for (int call = 0; call < calls; call++) spread(kSteps);
        });
    }
}
