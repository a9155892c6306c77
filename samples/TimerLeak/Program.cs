// Sessions with a timer that nobody disposes: the runtime's timer queue holds the timer, the
// timer's callback holds the session, and the session holds the timer.
using Samples;

namespace TimerLeak;

internal static class Program
{
    private const int kSessions = 2_000;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "TimerLeak " + Stay.Usage);
        for (int i = 0; i < kSessions; i++) new Session();
        Stay.UntilTheEnd(arguments, [TimerQueues.Type]);
    }
}

internal sealed class Session
{
    private static readonly TimeSpan kLater = TimeSpan.FromHours(1);

    private readonly Timer timer_;
    private readonly int[] state_ = new int[200];

    public Session() => timer_ = new Timer(Expire, null, kLater, kLater);
    private void Expire(object? _) => state_[0]++;
    public override string ToString() => timer_.ToString() + state_[0];
}

internal static class TimerQueues
{
    public static Type Type => typeof(Timer).Assembly.GetType("System.Threading.TimerQueue")!;
}
