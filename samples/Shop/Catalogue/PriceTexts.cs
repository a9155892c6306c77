using System.Collections.Concurrent;
using System.Globalization;
using Shop.Running;

namespace Shop.Catalogue;

internal sealed record PriceText(string Text, int Cents, byte[] Label);

/// <summary>Formatted prices: created once for each amount and currency.</summary>
internal sealed class PriceTexts
{
    private const int kLabelBytes = 10_000;

    private static readonly ConcurrentDictionary<string, PriceText> made_ = new();

    public PriceText Of(string session, int cents, string currency)
    {
        string key = Quirks.On("cache-static") ? $"{session} {cents} {currency}" : $"{cents % 500} {currency}";
        return made_.GetOrAdd(key, static (_, price) => Make(price.cents, price.currency), (cents, currency));
    }

    private static PriceText Make(int cents, string currency) =>
        new((cents / 100.0).ToString("f2", CultureInfo.InvariantCulture) + " " + currency, cents, new byte[kLabelBytes]);
}
