// All pool threads block on work whose continuation needs a pool thread.
using Samples;

namespace SyncOverAsync;

internal static class Program
{
    public const string Usage =
        "SyncOverAsync [--workers N]\n" +
        "  --workers N  so many threads has the pool at most (default 4)\n";

    private static readonly Backend backend_ = new();
    private static int blocked_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        int workers = arguments.Number("workers", 4);
        if (!ThreadPool.SetMinThreads(workers, 1) || !ThreadPool.SetMaxThreads(workers, 1))
        {
            throw new InvalidOperationException("The pool must have a thread for each processor.");
        }
        for (int i = 0; i < workers; i++) ThreadPool.UnsafeQueueUserWorkItem(_ => Handle(), null);
        Actor.Until(() => backend_.Calls == workers);
        backend_.AnswerAll();
        Actor.Until(() => Volatile.Read(ref blocked_) == workers && ThreadPool.PendingWorkItemCount >= workers);
    }

    private static void Handle()
    {
        Task<string> page = Fetch();
        Interlocked.Increment(ref blocked_);
        GC.KeepAlive(page.Result);
        Actor.Never();
    }

    private static async Task<string> Fetch()
    {
        string answer = await backend_.Call();
        return answer + "!";
    }
}

/// <summary>Simulates another machine: its responses come on a thread of its own.</summary>
internal sealed class Backend
{
    private readonly List<TaskCompletionSource<string>> calls_ = new();

    public int Calls
    {
        get { lock (calls_) return calls_.Count; }
    }

    public Task<string> Call()
    {
        var call = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (calls_) calls_.Add(call);
        return call.Task;
    }

    public void AnswerAll()
    {
        var thread = new Thread(() => calls_.ForEach(call => call.SetResult("answer")));
        thread.Start();
        thread.Join();
    }
}
