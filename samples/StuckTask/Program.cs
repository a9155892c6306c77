// Requests that never get a response: nobody completes their TaskCompletionSources, and one table
// holds them. Or methods that wait for what nothing can complete any more.
using Samples;

namespace StuckTask;

internal static class Program
{
    public const string Usage =
        "StuckTask [--count N] [--way WAY]\n" +
        "  --count N  requests (default 200)\n" +
        "  --way WAY  vain: no requests, but what waits in vain\n";

    private static readonly Service service_ = new();
    private static Task[] served_ = [];

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
        if (arguments.Text("way") == "vain")
        {
            served_ = [Vain.WaitForACollected(), Vain.WaitForAColdTask(), new Tokens().Renew()];
            return;
        }
        served_ = new Task[arguments.Number("count", 200)];
        for (int i = 0; i < served_.Length; i++) served_[i] = service_.Serve(i);
        if (Array.Exists(served_, task => task.IsCompleted)) throw new InvalidOperationException("answered");
    }
}

internal sealed class Service
{
    private readonly Client client_ = new();

    public async Task Serve(int request)
    {
        string page = await Handle(request);
        GC.KeepAlive(page);
    }

    private async Task<string> Handle(int request)
    {
        Reply reply = await client_.Send(request);
        return $"<p>{reply}</p>";
    }
}

internal sealed class Client
{
    private readonly Dictionary<int, TaskCompletionSource<Reply>> pending_ = new();

    public async Task<Reply> Send(int number)
    {
        var answer = new TaskCompletionSource<Reply>();
        pending_.Add(number, answer);
        return await answer.Task;
    }
}

internal sealed record Reply(string Text);

/// <summary>Only what waits refers to what it waits for, or what that waits for is garbage.</summary>
internal static class Vain
{
    public static Task WaitForACollected() => WaitForAll();

    private static async Task WaitForAll() => await Task.WhenAll(Lost(), Lost());

    private static async Task Lost() => await new TaskCompletionSource().Task;

    public static async Task WaitForAColdTask() => await new Task(() => { });
}

/// <summary>It enters its semaphore twice.</summary>
internal sealed class Tokens
{
    private readonly SemaphoreSlim gate_ = new(1, 1);

    public async Task Renew()
    {
        await gate_.WaitAsync();
        await Fetch();
        gate_.Release();
    }

    private async Task Fetch()
    {
        await gate_.WaitAsync();
        gate_.Release();
    }
}
