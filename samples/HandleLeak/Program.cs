// Handles as passed to native code, which nobody frees: strong and pinned ones.
using System.Runtime.InteropServices;
using Samples;

namespace HandleLeak;

internal static class Program
{
    private const int kRequests = 3_000;
    private const int kFrames = 1_000;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "HandleLeak " + Stay.Usage);
        // The handles would be passed to native code: no managed object holds them.
        var targets = new List<object>();
        bool isLogged = arguments.Has("self-log");
        for (int i = 0; i < kRequests; i++) Pass(new Request(), GCHandleType.Normal);
        for (int i = 0; i < kFrames; i++) Pass(new Sample[100], GCHandleType.Pinned);
        Stay.UntilTheEnd(arguments, [], targets.ToArray());

        void Pass(object target, GCHandleType how)
        {
            if (!GCHandle.Alloc(target, how).IsAllocated) throw new InvalidOperationException("no handle");
            if (isLogged) targets.Add(target);
        }
    }
}

internal sealed class Request
{
    private readonly byte[] body_ = new byte[300];
    public override string ToString() => body_.ToString()!;
}

internal struct Sample(float left, float right)
{
    public readonly float Left = left;
    public readonly float Right = right;
}
