using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Four named threads that throw at the same time.</summary>
internal static class Crowd
{
    private const int kThreads = 4;
    private const int kThrowsEach = 5;

    [ThreadStatic] private static int result_;

    [MethodImpl(Keep.Frame)]
    public static void Run()
    {
        using var start = new Barrier(kThreads);
        var threads = new Thread[kThreads];
        for (int i = 0; i < kThreads; i++)
        {
            threads[i] = new Thread(() => result_ += Work(start)) { Name = $"storm-{i}" };
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
    }

    [MethodImpl(Keep.Frame)]
    private static int Work(Barrier start)
    {
        start.SignalAndWait();
        for (int i = 0; i < kThrowsEach; i++)
        {
            try
            {
                result_ += ThrowInCrowd();
            }
            catch (CrowdException)
            {
            }
        }
        return 1;
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowInCrowd() => throw new CrowdException("one of many");
}

/// <summary>Exceptions that end the process.</summary>
internal static class Unhandled
{
    public static void Run(string how)
    {
        switch (how)
        {
            case "thread":
                new Thread(Fail) { Name = "storm-doomed" }.Start();
                break;
            case "pool":
                ThreadPool.QueueUserWorkItem(_ => Fail());
                break;
            case "rethrow":
                Rethrow();
                break;
            default:
                Fail();
                break;
        }
        Thread.Sleep(Timeout.Infinite);
    }

    /// <summary>The same with something else that fails.</summary>
    public static void Run(string how, Action fail)
    {
        if (how == "thread") new Thread(() => fail()) { Name = "storm-doomed" }.Start();
        else if (how == "pool") ThreadPool.QueueUserWorkItem(_ => fail());
        else fail();
        Thread.Sleep(Timeout.Infinite);
    }

    /// <summary>Throws from a handler what it has caught.</summary>
    [MethodImpl(Keep.Frame)]
    private static void Rethrow()
    {
        try
        {
            Fail();
        }
        catch (UncaughtException)
        {
            throw;
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void Fail() => throw new UncaughtException("nobody catches this");

    [MethodImpl(Keep.Frame)]
    public static void Fail(string message) => throw new UncaughtException(message);
}

internal sealed class CrowdException(string message) : Exception(message);

internal sealed class UncaughtException(string message) : Exception(message);
