// Memory of the C library that nobody frees: the collector does not know it.
using System.Runtime.InteropServices;
using Samples;

namespace NativeLeak;

internal static class Program
{
    private const int kImageBytes = 1 << 20;
    private const int kPerSecond = 32;
    private const int kImages = 2_048;  // at most: 2 GiB

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "NativeLeak " + Stay.Usage);
        var leaking = new Thread(() =>
        {
            for (int i = 0; i < kImages; i++)
            {
                Load();
                Thread.Sleep(1000 / kPerSecond);
            }
        }) { IsBackground = true };
        leaking.Start();
        Stay.UntilTheEnd(arguments, []);
    }

    // Only memory that was written to is in use.
    private static void Load()
    {
        IntPtr image = Marshal.AllocHGlobal(kImageBytes);
        for (int at = 0; at < kImageBytes; at += Environment.SystemPageSize) Marshal.WriteByte(image, at, 1);
    }
}
