using Samples;

namespace AsyncDeadlock;

/// <summary>Two parts of a report: each awaits the other one's completion.</summary>
internal sealed class Report
{
    private static readonly Report report_ = new();

    private readonly TaskCompletionSource begin_ = new();
    private Task? totals_;
    private Task? charts_;

    public static void Build() => report_.Make();

    private void Make()
    {
        totals_ = MakeTotals();
        charts_ = MakeCharts();
        begin_.SetResult();  // both continue inside this call
        if (totals_.IsCompleted || charts_.IsCompleted) Actor.Never();
    }

    private async Task MakeTotals()
    {
        await begin_.Task;
        await charts_!;
    }

    private async Task MakeCharts()
    {
        await begin_.Task;
        await totals_!;
    }
}
