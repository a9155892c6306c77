using System.Runtime.CompilerServices;
using Shop.Running;

namespace Shop.Shipping;

internal sealed record Quote(int Zip, int Stops, long Cost);

/// <summary>The cost of sending a parcel somewhere.</summary>
internal sealed class RoutePlanner
{
    private const int kStops = 64;

    private readonly int[] depots_ = [.. Enumerable.Range(0, kStops).Select(i => 10_000 + i * 1303 % 80_000)];

    public Quote Cheapest(int zip)
    {
        int tries = Quirks.On("hot-inlined") ? 600_000 : 20;
        long best = long.MaxValue;
        for (int i = 0; i < tries; i++) best = Math.Min(best, Along(zip + i % 7));
        return new Quote(zip, depots_.Length, best % 10_000);
    }

    private long Along(int zip)
    {
        long sum = 0;
        foreach (int depot in depots_) sum += Toll.Between(depot, zip);
        return sum;
    }
}

internal static class Toll
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Between(int depot, int zip)
    {
        uint far = (uint)(depot - zip);
        far ^= far >> 15;
        far *= 0x2c1b3c6d;
        far ^= far >> 12;
        far *= 0x297a2d39;
        return far ^ (far >> 15);
    }
}
