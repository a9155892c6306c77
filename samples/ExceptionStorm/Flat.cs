using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>
/// Threads that all throw as fast as they can, too fast to record every detail. The numbers are
/// known exactly, by type and by outcome: of N on each thread, every tenth is replaced by another
/// one in a finally block, and all others are caught.
/// </summary>
internal static class Flat
{
    /// <summary>How many of <paramref name="throws"/> are replaced, each by one more.</summary>
    public static int Replaced(int throws) => throws / 10;

    public static void Run(int threads, int throws, bool isGeneric)
    {
        var all = new Thread[threads];
        using var start = new Barrier(threads);
        for (int i = 0; i < threads; i++)
        {
            int number = i;
            all[i] = new Thread(() =>
            {
                start.SignalAndWait();
                if (!isGeneric) Throw<FlatException>(throws);
                else if (number % 4 == 0) Throw<FlatException<int>>(throws);
                else if (number % 4 == 1) Throw<FlatException<string>>(throws);
                else if (number % 4 == 2) Throw<FlatException<List<int>>>(throws);
                else Throw<FlatException<Dictionary<string, object>>>(throws);
            }) { Name = $"flat-{i}" };
        }
        foreach (Thread thread in all) thread.Start();
        foreach (Thread thread in all) thread.Join();
    }

    /// <summary>Throws this many, all alike, amid the storm; the last one is unhandled.</summary>
    public static void Fail(int threads, int throws, string how)
    {
        using var start = new Barrier(threads + 1);
        for (int i = 0; i < threads; i++)
        {
            new Thread(() =>
            {
                start.SignalAndWait();
                while (true) Throw<FlatException>(1000);
            }) { Name = $"flat-{i}", IsBackground = true }.Start();
        }
        start.SignalAndWait();
        Unhandled.Run(how, () => FailAtLast(throws));
    }

    [MethodImpl(Keep.Frame)]
    private static void FailAtLast(int throws)
    {
        for (int left = throws - 1; left >= 0; left--)
        {
            try
            {
                Unhandled.Fail(left > 0 ? "somebody catches this" : "nobody catches this");
            }
            catch (UncaughtException) when (left > 0)
            {
            }
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void Throw<T>(int throws) where T : Exception, new()
    {
        for (int i = 1; i <= throws; i++)
        {
            try
            {
                if (i % 10 == 0) Replace<T>();
                else throw new T();
            }
            catch (T)
            {
            }
            catch (FlatReplacement)
            {
            }
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void Replace<T>() where T : Exception, new()
    {
        try
        {
            throw new T();
        }
        finally
        {
            Throw();
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void Throw() => throw new FlatReplacement();
}

internal sealed class FlatException() : Exception("thrown flat out");

internal sealed class FlatException<T>() : Exception("thrown flat out, generic");

internal sealed class FlatReplacement() : Exception("in its place");
