using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace ExceptionStorm;

/// <summary>One exception, thrown more than once.</summary>
internal static class Rethrown
{
    private static int result_;

    // ---- throw; once

    [MethodImpl(Keep.Frame)]
    public static void RunOnce()
    {
        try
        {
            result_ += RethrowOnce();
        }
        catch (OnceException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int RethrowOnce()
    {
        try
        {
            return ThrowOnce() + 1;
        }
        catch (OnceException)
        {
            result_++;
            throw;
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowOnce() => throw new OnceException("rethrown once");

    // ---- throw; three times on its way up

    [MethodImpl(Keep.Frame)]
    public static void RunThrice()
    {
        try
        {
            result_ += RethrowUp(3);
        }
        catch (ThriceException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int RethrowUp(int times)
    {
        try
        {
            return times == 1 ? ThrowThrice() + 1 : RethrowUp(times - 1) + 1;
        }
        catch (ThriceException)
        {
            result_++;
            throw;
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowThrice() => throw new ThriceException("rethrown three times");

    // ---- throw e;

    [MethodImpl(Keep.Frame)]
    public static void RunAnew()
    {
        try
        {
            result_ += ThrowItAgain();
        }
        catch (AnewException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowItAgain()
    {
        try
        {
            return ThrowAnew() + 1;
        }
        catch (AnewException e)
        {
#pragma warning disable CA2200  // the point of this path
            throw e;
#pragma warning restore CA2200
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowAnew() => throw new AnewException("thrown anew");

    // ---- ExceptionDispatchInfo, on another thread

    [MethodImpl(Keep.Frame)]
    public static void RunRestored()
    {
        ExceptionDispatchInfo? captured = null;
        var thread = new Thread(() => captured = Capture()) { Name = "storm-capture" };
        thread.Start();
        thread.Join();
        try
        {
            captured!.Throw();
        }
        catch (RestoredException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static ExceptionDispatchInfo? Capture()
    {
        try
        {
            result_ += ThrowRestored();
            return null;
        }
        catch (RestoredException e)
        {
            return ExceptionDispatchInfo.Capture(e);
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowRestored() => throw new RestoredException("carried to another thread");
}

internal sealed class OnceException(string message) : Exception(message);

internal sealed class ThriceException(string message) : Exception(message);

internal sealed class AnewException(string message) : Exception(message);

internal sealed class RestoredException(string message) : Exception(message);
