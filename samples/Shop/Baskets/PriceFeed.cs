using Microsoft.Extensions.Hosting;

namespace Shop.Baskets;

/// <summary>Notifies subscribers of new prices.</summary>
internal sealed class PriceFeed
{
    public event EventHandler<int>? Changed;

    public void Publish(int product) => Changed?.Invoke(this, product);
}

/// <summary>A basket while a customer views it.</summary>
internal sealed class BasketView : IDisposable
{
    private readonly Basket basket_;
    private readonly PriceFeed feed_;
    private readonly byte[] page_ = new byte[24_000];
    private int changes_;

    public BasketView(Basket basket, PriceFeed feed)
    {
        basket_ = basket;
        feed_ = feed;
        feed_.Changed += OnChanged;
    }

    public object Render() => new { basket_.Session, Lines = basket_.Products.Count, Changes = changes_, Size = page_.Length };

    public void Dispose() => feed_.Changed -= OnChanged;

    private void OnChanged(object? sender, int product) => changes_++;
}

/// <summary>Changes prices from time to time.</summary>
internal sealed class PriceWorker(PriceFeed feed) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken token)
    {
        using var clock = new PeriodicTimer(TimeSpan.FromMilliseconds(500));
        for (int product = 1; await clock.WaitForNextTickAsync(token); product++) feed.Publish(product % 300);
    }
}
