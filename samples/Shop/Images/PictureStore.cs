using System.Buffers;
using System.Runtime.InteropServices;
using Shop.Running;

namespace Shop.Images;

internal sealed class Pixels(int id, byte[] data)
{
    public int Id { get; } = id;
    public byte[] Data { get; } = data;
}

/// <summary>Pictures in the size that the page needs; the last ones are cached.</summary>
internal sealed class PictureStore
{
    private const int kKept = 16;
    private const int kBytes = 40_000;

    private readonly object gate_ = new();
    private readonly LinkedList<Pixels> kept_ = [];

    public byte[] Small(int id)
    {
        lock (gate_)
        {
            Pixels? known = kept_.FirstOrDefault(picture => picture.Id == id);
            if (known is not null && !Quirks.On("handles")) return known.Data[..2000];
        }
        Pixels made = Shrink(id);
        lock (gate_)
        {
            kept_.AddLast(made);
            if (kept_.Count > kKept) kept_.RemoveFirst();
        }
        if (Quirks.On("gc-collect")) Tidy();
        return made.Data[..2000];
    }

    private static Pixels Shrink(int id)
    {
        byte[] work = ArrayPool<byte>.Shared.Rent(kBytes);
        try
        {
            new Random(id).NextBytes(work.AsSpan(0, kBytes));
            var made = new Pixels(id, work[..(kBytes / 2)]);
            var handle = GCHandle.Alloc(made);
            Encode(GCHandle.ToIntPtr(handle));
            if (!Quirks.On("handles")) handle.Free();
            return made;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(work);
        }
    }

    // Stands for the work of a native encoder.
    private static void Encode(IntPtr pixels)
    {
        if (GCHandle.FromIntPtr(pixels).Target is Pixels target) target.Data.AsSpan().Reverse();
    }

    private static void Tidy()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
