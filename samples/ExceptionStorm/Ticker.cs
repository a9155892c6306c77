using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>
/// Throws until it is killed. The number of throws so far is in a mapped file as a 64-bit integer,
/// so it survives even SIGKILL: a test compares it with the recording.
/// </summary>
internal static class Ticker
{
    private const int kBatch = 20;

    public static void Run(string file)
    {
        using var mapped = MemoryMappedFile.CreateFromFile(file, FileMode.OpenOrCreate, null, 4096);
        using MemoryMappedViewAccessor counter = mapped.CreateViewAccessor();
        for (long count = 0; ; Thread.Sleep(1))
        {
            for (int i = 0; i < kBatch; i++) counter.Write(0, ++count + Tick());
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Tick()
    {
        try
        {
            return Throw() + 1;
        }
        catch (TickException)
        {
            return 0;
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Throw() => throw new TickException();
}

internal sealed class TickException() : Exception("tick");
