using Samples;

namespace AsyncDeadlock;

/// <summary>A semaphore that the first task to enter never releases; the others wait for
/// it.</summary>
internal sealed class Turnstile
{
    private static readonly Turnstile turnstile_ = new();
    private static readonly List<Task> visits_ = new();

    private readonly SemaphoreSlim free_ = new(1);
    private int visitors_;

    public static void Build(int count)
    {
        turnstile_.Visit(hasTicket: false).GetAwaiter().GetResult();
        for (int i = 0; i < count; i++) visits_.Add(turnstile_.Visit(hasTicket: true));
        Actor.Until(() => visits_.TrueForAll(visit => !visit.IsCompleted));
    }

    private async Task Visit(bool hasTicket)
    {
        await free_.WaitAsync();
        if (!hasTicket) return;  // and keeps it
        visitors_++;
        free_.Release();
    }
}
