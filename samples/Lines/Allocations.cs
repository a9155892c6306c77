using System.Runtime.CompilerServices;

namespace Lines;

internal sealed class Small
{
    public readonly long A = 1, B = 2, C = 3, D = 4, E = 5, F = 6, G = 7;
}

/// <summary>A megabyte at each place with a mark: most of what this program allocates.</summary>
internal static class Allocations
{
    private const int kMegabyte = 1 << 20;
    private static object? kept_;

    public static void Run(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Arrays();
            Objects();
            Copies(i);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Arrays()
    {
        for (int left = kMegabyte; left > 0; left -= 1024)
        {
            kept_ = new byte[1000];             // line: allocation.bytes
        }
        for (int left = kMegabyte; left > 0; left -= 1024)
        {
            kept_ = new long[125];              // line: allocation.longs
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Objects()
    {
        int left = kMegabyte;
        while (left > 0)
        {
            kept_ = new Small();                // line: allocation.small
            left -= 72;
        }
    }

    // The object comes from the framework, for the sake of the marked line.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Copies(int seed)
    {
        var text = new string((char)('a' + seed % 26), 500);
        for (int left = kMegabyte; left > 0; left -= 1024)
        {
            kept_ = text.Replace((char)('a' + seed % 26), 'A');  // line: allocation.string
        }
    }
}
