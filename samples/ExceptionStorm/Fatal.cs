using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Ends for which the runtime tells of no exception.</summary>
internal static class Fatal
{
    public static void Run(string how)
    {
        if (how == "overflow") Console.WriteLine(Deeper(1));
        else GiveUp();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GiveUp() => Environment.FailFast("the ledger is corrupt");

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Deeper(int depth) => depth + Deeper(depth + 1) % 7;
}
