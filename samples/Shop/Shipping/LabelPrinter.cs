using System.Collections.Concurrent;
using System.Threading.Channels;
using Shop.Running;

namespace Shop.Shipping;

internal sealed record Label(int Order, string Text);

/// <summary>Prints labels in order of arrival.</summary>
internal sealed class LabelPrinter
{
    private const int kStackBytes = 256 << 10;
    private const int kMostPrinters = 400;

    private readonly Channel<Label> labels_ = Channel.CreateBounded<Label>(200);
    private int printers_;
    private int printed_;

    public LabelPrinter() => _ = Task.Run(Print);

    public int Add(Label label)
    {
        if (Quirks.On("threads") && Interlocked.Increment(ref printers_) <= kMostPrinters) Open().Add(label);
        else labels_.Writer.TryWrite(label);
        return printed_;
    }

    private BlockingCollection<Label> Open()
    {
        var tray = new BlockingCollection<Label>();
        new Thread(() => Serve(tray), kStackBytes) { IsBackground = true }.Start();
        return tray;
    }

    private void Serve(BlockingCollection<Label> tray)
    {
        foreach (Label label in tray.GetConsumingEnumerable()) Interlocked.Add(ref printed_, label.Text.Length);
    }

    private async Task Print()
    {
        await foreach (Label label in labels_.Reader.ReadAllAsync()) Interlocked.Add(ref printed_, label.Text.Length);
    }
}
