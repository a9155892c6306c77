using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Exceptions that travel through tasks.</summary>
internal static class Asynchronous
{
    private static int result_;

    // ---- through three awaits; Yield suspends, so the continuation runs on a pool thread

    [MethodImpl(Keep.Frame)]
    public static void RunThreeAwaits() => result_ += CatchAsync().GetAwaiter().GetResult();

    private static async Task<int> CatchAsync()
    {
        try
        {
            return await TopAsync();
        }
        catch (AwaitedException)
        {
            return 0;
        }
    }

    private static async Task<int> TopAsync() => await MiddleAsync() + 1;

    private static async Task<int> MiddleAsync() => await BottomAsync() + 1;

    private static async Task<int> BottomAsync()
    {
        await Task.Yield();
        return ThrowAwaited() + 1;
    }

    [MethodImpl(Keep.Frame)]
    private static int ThrowAwaited() => throw new AwaitedException("through three awaits");

    // ---- Task.Wait wraps it in an AggregateException

    [MethodImpl(Keep.Frame)]
    public static void RunWait()
    {
        Task task = Task.Factory.StartNew(
            FailInTask, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        try
        {
            task.Wait();
        }
        catch (AggregateException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void FailInTask() => throw new WaitedException("somebody waits");

    // ---- nobody ever observes the task

    [MethodImpl(Keep.Frame)]
    public static void RunUnobserved()
    {
        using var isOver = new ManualResetEventSlim();
        _ = ForgottenAsync(isOver);
        isOver.Wait();
    }

    private static async Task ForgottenAsync(ManualResetEventSlim isOver)
    {
        await Task.Yield();
        try
        {
            throw new ForgottenException("nobody awaits");
        }
        finally
        {
            isOver.Set();
        }
    }

    // ---- a canceled task: the first throw is that of the await

    [MethodImpl(Keep.Frame)]
    public static void RunCancelled() => result_ += AwaitCancelledAsync().GetAwaiter().GetResult();

    private static async Task<int> AwaitCancelledAsync()
    {
        try
        {
            await Task.Delay(Timeout.Infinite, new CancellationToken(canceled: true));
            return 1;
        }
        catch (OperationCanceledException)
        {
            return 0;
        }
    }
}

internal sealed class AwaitedException(string message) : Exception(message);

internal sealed class WaitedException(string message) : Exception(message);

internal sealed class ForgottenException(string message) : Exception(message);
