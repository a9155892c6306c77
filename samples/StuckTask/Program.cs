// Requests that never get a response: nobody completes their TaskCompletionSources, and one table
// holds them.
using Samples;

namespace StuckTask;

internal static class Program
{
    public const string Usage =
        "StuckTask [--count N]\n" +
        "  --count N  requests (default 200)\n";

    private static readonly Service service_ = new();
    private static Task[] served_ = [];

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, Usage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments));
    }

    public static void Build(Arguments arguments)
    {
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
