// Callbacks that are registered and never removed. Each is a lambda, and what it captured stays
// alive.
using Samples;

namespace ClosureLeak;

internal static class Program
{
    private const int kUploads = 4_000;

    private static readonly List<Func<int>> whenIdle_ = new();

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "ClosureLeak " + Stay.Usage);
        for (int i = 0; i < kUploads; i++) Register(new Upload(), i);
        Stay.UntilTheEnd(arguments, [typeof(Program)]);
    }

    private static void Register(Upload upload, int number) => whenIdle_.Add(() => upload.Size + number);
}

internal sealed class Upload
{
    private readonly byte[] content_ = new byte[500];
    public int Size => content_.Length;
}
