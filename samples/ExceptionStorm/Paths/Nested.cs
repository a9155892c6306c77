using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Exceptions thrown while another one is being handled.</summary>
internal static class Nested
{
    private static int result_;

    // ---- thrown in a catch block, with the first as its InnerException

    [MethodImpl(Keep.Frame)]
    public static void RunWrap()
    {
        try
        {
            result_ += Wrap();
        }
        catch (WrapperException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Wrap()
    {
        try
        {
            return ThrowWrapped() + 1;
        }
        catch (WrappedException e)
        {
            throw new WrapperException("the cause is inside", e);
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowWrapped() => throw new WrappedException("the cause");

    // ---- thrown in a finally block: the first is never caught

    [MethodImpl(Keep.Frame)]
    public static void RunFinallyReplaces()
    {
        try
        {
            result_ += FinallyReplaces();
        }
        catch (Exception)  // also catches the first one: without a handler it would end the process
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int FinallyReplaces()
    {
        try
        {
            return ThrowReplaced() + 1;
        }
        finally
        {
            result_ += ThrowReplacing();
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowReplaced() => throw new ReplacedException("never arrives");

    [MethodImpl(Keep.Frame)]
    private static int ThrowReplacing() => throw new ReplacingException("out of a finally");

    // ---- thrown in a filter: the runtime discards it and treats the filter as false

    [MethodImpl(Keep.Frame)]
    public static void RunThrowingFilter()
    {
        try
        {
            result_ += FilterThrows();
        }
        catch (FilteredException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int FilterThrows()
    {
        try
        {
            return ThrowFiltered() + 1;
        }
        catch (FilteredException) when (ThrowInFilter() > 0)
        {
            return 0;
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowFiltered() => throw new FilteredException("looked at by a filter");

    [MethodImpl(Keep.Frame)]
    private static int ThrowInFilter() => throw new LostInFilterException("out of a filter");

    // ---- caught inside a finally block, while another is in flight

    [MethodImpl(Keep.Frame)]
    public static void RunCaughtInFinally()
    {
        try
        {
            result_ += CleansUp();
        }
        catch (InFlightException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int CleansUp()
    {
        try
        {
            return ThrowInFlight() + 1;
        }
        finally
        {
            CleanUp();
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void CleanUp()
    {
        try
        {
            result_ += ThrowCleanUp();
        }
        catch (CleanUpException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowInFlight() => throw new InFlightException("passes a finally");

    [MethodImpl(Keep.Frame)]
    private static int ThrowCleanUp() => throw new CleanUpException("stays in the finally");
}

internal sealed class WrappedException(string message) : Exception(message);

internal sealed class WrapperException(string message, Exception inner) : Exception(message, inner);

internal sealed class ReplacedException(string message) : Exception(message);

internal sealed class ReplacingException(string message) : Exception(message);

internal sealed class FilteredException(string message) : Exception(message);

internal sealed class LostInFilterException(string message) : Exception(message);

internal sealed class InFlightException(string message) : Exception(message);

internal sealed class CleanUpException(string message) : Exception(message);
