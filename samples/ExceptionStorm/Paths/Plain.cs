using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Through small methods that have no frame pointer.</summary>
internal static class Frameless
{
    private static int depth_;

    [MethodImpl(Keep.Frame)]
    public static void Run()
    {
        try
        {
            depth_ += Outer(1);
        }
        catch (FramelessException)
        {
        }
    }

    [MethodImpl(Keep.Optimized)]
    private static int Outer(int value) => Middle(value + 1) + 1;

    [MethodImpl(Keep.Optimized)]
    private static int Middle(int value) => Inner(value + 1) * 3;

    [MethodImpl(Keep.Optimized)]
    private static int Inner(int value)
    {
        if (value > 0) throw new FramelessException("too small for a frame");
        return value;
    }
}

/// <summary>Fifty frames deep.</summary>
internal static class Deep
{
    private static int depth_;

    [MethodImpl(Keep.Frame)]
    public static void Run()
    {
        try
        {
            depth_ += Descend(50);
        }
        catch (DeepException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Descend(int levels)
    {
        if (levels == 1) throw new DeepException("at the bottom");
        return Descend(levels - 1) + 1;
    }
}

internal sealed class FramelessException(string message) : Exception(message);

internal sealed class DeepException(string message) : Exception(message);
