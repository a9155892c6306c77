// Windows subscribe to a feed that lives as long as the process, are closed, and never unsubscribe.
using Samples;

namespace EventLeak;

internal static class Program
{
    private const int kWindows = 5_000;
    private const int kListeners = 2_000;

    private static readonly PriceFeed feed_ = new();

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "EventLeak " + Stay.Usage);
        for (int i = 0; i < kWindows; i++) new Window().Open(feed_);
        for (int i = 0; i < kListeners; i++) new Listener();
        Stay.UntilTheEnd(arguments, [typeof(Program), typeof(Alarm)]);
    }
}

/// <summary>A long-lived publisher.</summary>
internal sealed class PriceFeed
{
    public event EventHandler<Price>? PriceChanged;
    public void Publish(decimal value) => PriceChanged?.Invoke(this, new Price(value));
}

internal sealed class Price(decimal value) : EventArgs
{
    public decimal Value => value;
}

internal sealed class Window
{
    private readonly byte[] picture_ = new byte[1000];
    private decimal last_;

    public void Open(PriceFeed feed) => feed.PriceChanged += OnPriceChanged;
    private void OnPriceChanged(object? sender, Price price) => last_ = price.Value + picture_.Length;
    public override string ToString() => last_.ToString();
}

/// <summary>A static event.</summary>
internal static class Alarm
{
    public static event Action? Raised;
    public static void Raise() => Raised?.Invoke();
}

internal sealed class Listener
{
    private int heard_;

    public Listener() => Alarm.Raised += OnRaised;
    private void OnRaised() => heard_++;
    public override string ToString() => heard_.ToString();
}
