using System.Collections.Concurrent;
using Samples;

namespace AsyncDeadlock;

/// <summary>A UI thread blocks on work that must be completed on the UI thread.</summary>
internal sealed class Window
{
    private static readonly Dispatcher dispatcher_ = new();
    private static readonly Window window_ = new();

    private readonly TaskCompletionSource<string> page_ = new();

    public static void Build()
    {
        Actor.AwaitBlocked([Actor.Start("window", Run)]);
        window_.page_.SetResult("page");  // the continuation of Load is posted to the window
        Actor.Until(() => dispatcher_.HasWork);
    }

    private static void Run(Actor actor)
    {
        SynchronizationContext.SetSynchronizationContext(dispatcher_);
        actor.Commit();
        window_.OnClick();
        dispatcher_.Run();
    }

    private void OnClick()
    {
        string text = Load().Result;
        GC.KeepAlive(text);
        Actor.Never();
    }

    private async Task<string> Load()
    {
        string page = await page_.Task;
        return page + this;
    }
}

/// <summary>Runs what is posted to it, on the thread that calls Run.</summary>
internal sealed class Dispatcher : SynchronizationContext
{
    private readonly BlockingCollection<(SendOrPostCallback Call, object? State)> posted_ = new();

    public bool HasWork => posted_.Count > 0;

    public override void Post(SendOrPostCallback call, object? state) => posted_.Add((call, state));

    public void Run()
    {
        foreach ((SendOrPostCallback call, object? state) in posted_.GetConsumingEnumerable()) call(state);
    }
}
