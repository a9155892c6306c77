using System.Runtime.CompilerServices;
using Samples;

namespace CpuHot;

/// <summary>
/// Steps of equal cost: each waits for the result of the previous one (a multiplication and an
/// addition), so neither a loop's alignment nor its overhead matters.
/// </summary>
internal static class Work
{
    public const ulong kFactor = 6364136223846793005;
    public const ulong kAddend = 1442695040888963407;

    private static ulong sink_;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Keep(ulong value) => sink_ += value;

    /// <summary>Rounds of varying length have no rhythm with which a timer could
    /// synchronize.</summary>
    public static int NextUnit(ref ulong random)
    {
        random = random * kFactor + kAddend;
        return 10_000 + (int)(random >> 50);  // to 26,383 steps
    }
}

/// <summary>Three methods that take 60, 30 and 10 % of the time, by construction.</summary>
internal static class Shares
{
    /// <summary>The method that should take twice as long, if any.</summary>
    public static string? Slow;

    public static void Use(CpuBudget budget)
    {
        ulong x = 1, random = 7;
        int sixty = 6 * Times(nameof(Sixty)), thirty = 3 * Times(nameof(Thirty)), ten = Times(nameof(Ten));
        while (budget.IsLeft)
        {
            int unit = Work.NextUnit(ref random);
            x = Sixty(x, sixty * unit);
            x = Thirty(x, thirty * unit);
            x = Ten(x, ten * unit);
        }
        Work.Keep(x);
    }

    private static int Times(string method) => method == Slow ? 2 : 1;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static ulong Sixty(ulong x, int steps)
    {
        for (int i = 0; i < steps; i++) x = x * Work.kFactor + Work.kAddend;
        return x;
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static ulong Thirty(ulong x, int steps)
    {
        for (int i = 0; i < steps; i++) x = x * Work.kFactor + Work.kAddend;
        return x;
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static ulong Ten(ulong x, int steps)
    {
        for (int i = 0; i < steps; i++) x = x * Work.kFactor + Work.kAddend;
        return x;
    }
}

/// <summary>The same method 200 times on one stack; the innermost one does the work.</summary>
internal static class Recursion
{
    private const int kDepth = 200;

    public static void Use(CpuBudget budget)
    {
        ulong x = 1, random = 3;
        while (budget.IsLeft) x = Fall(kDepth, x, 4 * Work.NextUnit(ref random));
        Work.Keep(x);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Fall(int depth, ulong x, int steps)
    {
        if (depth > 1) return Fall(depth - 1, x, steps) + 1;
        for (int i = 0; i < steps; i++) x = x * Work.kFactor + Work.kAddend;
        return x;
    }
}

/// <summary>Shared code for references and separate code for each struct; half of the time
/// each.</summary>
internal static class Generics
{
    public static void Use(CpuBudget budget)
    {
        ulong x = 1, random = 5;
        while (budget.IsLeft)
        {
            int unit = 4 * Work.NextUnit(ref random);
            x = Crunch<int>.Run(x, unit);
            x = Crunch<string>.Run(x, unit);
        }
        Work.Keep(x);
    }

    private static class Crunch<T>
    {
        private static readonly ulong kSalt = (ulong)typeof(T).Name.Length;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public static ulong Run(ulong x, int steps)
        {
            x += kSalt;
            for (int i = 0; i < steps; i++) x = x * Work.kFactor + Work.kAddend;
            return x;
        }
    }
}

internal static class Lambdas
{
    public static void Use(CpuBudget budget)
    {
        ulong sum = 0, random = 9;
        while (budget.IsLeft)
        {
            int steps = 4 * Work.NextUnit(ref random);
            Func<ulong, ulong> spin = x =>
            {
                for (int i = 0; i < steps; i++) x = x * Work.kFactor + Work.kAddend;
                return x;
            };
            sum += Apply(spin, sum);
        }
        Work.Keep(sum);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Apply(Func<ulong, ulong> function, ulong x) => function(x) + 1;
}

/// <summary>An async method, awaited by another one, that works on whichever thread continues
/// it.</summary>
internal static class AsyncWork
{
    public static void Use(CpuBudget budget)
    {
        // The pool's threads have CPU clocks of their own, so the work is limited by its amount.
        ulong random = 11;
        for (int i = 0; i < 1000 && budget.IsLeft; i++) Work.Keep(LoadAsync(Work.NextUnit(ref random)).GetAwaiter().GetResult());
    }

    private static async Task<ulong> LoadAsync(int steps) => await ParseAsync(steps) + 1;

    private static async Task<ulong> ParseAsync(int steps)
    {
        await Task.Yield();
        return Parse(steps, 20);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Parse(int steps, int times)
    {
        ulong x = 1;
        for (int i = 0; i < steps * times; i++) x = x * Work.kFactor + Work.kAddend;
        return x;
    }
}
