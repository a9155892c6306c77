using System.Runtime.CompilerServices;

namespace ExceptionStorm;

internal sealed class LateException(string message) : Exception(message);
internal sealed class LateWrapperException(string message, Exception cause) : Exception(message, cause);

/// <summary>
/// Exceptions thrown in a handler, and caught long after they were thrown, because a filter takes its time. When
/// they are the first of the process, the runtime begins to report exceptions in another way in the meantime.
/// </summary>
internal static class Late
{
    private static int result_;

    [MethodImpl(Keep.Frame)]
    public static void Run(string how)
    {
        try
        {
            result_ += how == "wrap" ? Wrap() : Rethrow();
        }
        catch (Exception e) when (e is LateException or LateWrapperException && TakesItsTime())
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Wrap()
    {
        try
        {
            return Throw() + 1;
        }
        catch (LateException cause)
        {
            throw new LateWrapperException("wrapped, and caught late", cause);
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Rethrow()
    {
        try
        {
            return Throw() + 1;
        }
        catch (LateException)
        {
            result_++;
            throw;
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Throw() => throw new LateException("caught late");

    private static bool TakesItsTime()
    {
        Thread.Sleep(1000);
        return true;
    }
}
