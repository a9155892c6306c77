using Samples;

namespace AsyncDeadlock;

/// <summary>Close disposes of its registration with the lock that the callback waits for.</summary>
internal sealed class Session
{
    private readonly object gate_ = new();
    private readonly CancellationTokenSource aborted_ = new();
    private readonly ManualResetEventSlim isClosing_ = new(), isAborting_ = new();
    private CancellationTokenRegistration registration_;

    public static void Build()
    {
        var session = new Session();
        session.registration_ = session.aborted_.Token.Register(session.OnAborted);
        Start("close", session.Close);
        Start("abort", () => { session.isClosing_.Wait(); session.aborted_.Cancel(); });
        session.isAborting_.Wait();
    }

    private static void Start(string name, ThreadStart run) =>
        new Thread(run) { IsBackground = true, Name = name }.Start();

    private void Close()
    {
        lock (gate_)
        {
            isClosing_.Set();
            isAborting_.Wait();
            registration_.Dispose();
        }
    }

    private void OnAborted()
    {
        isAborting_.Set();
        lock (gate_) GC.KeepAlive(this);
    }
}
