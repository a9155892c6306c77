using System.Runtime.CompilerServices;
using Samples;

namespace ManyThreads;

/// <summary>
/// Exceptions that begin as a signal: the processor faults, and the runtime's handler turns that
/// into a NullReferenceException. Prints how many there were.
/// </summary>
internal static class Faults
{
    private sealed class Node
    {
        public int Value = 1;
    }

    private static readonly Node? nothing_ = null;
    private static long faults_;
    private static int result_;

    public static void Raise(int threads, int milliseconds)
    {
        Crowd.Run(threads, "faulting", () => Keep(milliseconds));
        Console.WriteLine($"{faults_} null references");
    }

    private static void Keep(int milliseconds)
    {
        var budget = new CpuBudget(milliseconds);
        long faults = 0;
        for (; budget.IsLeft; ++faults) Catch();
        Interlocked.Add(ref faults_, faults);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Catch()
    {
        try
        {
            result_ += Use(nothing_!);
        }
        catch (NullReferenceException)
        {
        }
    }

    /// <summary>Its first instruction is the one that faults, once it is optimized.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Use(Node node) => node.Value;
}
