using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.RegularExpressions;
using Samples;

namespace CpuHot;

/// <summary>Through native code: libc's qsort, which calls back, and its strlen. Windows has them in
/// msvcrt.</summary>
internal static unsafe class Native
{
    private const int kNumbers = 2000;
    private const int kLength = 1 << 20;

    [DllImport("libc", EntryPoint = "qsort")]
    private static extern void Sort(int* numbers, nuint count, nuint size, delegate* unmanaged<int*, int*, int> compare);

    [DllImport("libc", EntryPoint = "strlen")]
    private static extern nuint Length(byte* text);

    static Native()
    {
        if (!OperatingSystem.IsWindows()) return;
        NativeLibrary.SetDllImportResolver(typeof(Native).Assembly, (_, _, _) => NativeLibrary.Load("msvcrt"));
    }

    public static void Use(CpuBudget budget)
    {
        int* numbers = (int*)NativeMemory.Alloc(kNumbers, sizeof(int));
        byte* text = (byte*)NativeMemory.Alloc(kLength + 1);
        new Span<byte>(text, kLength).Fill((byte)'x');
        text[kLength] = 0;
        while (budget.IsLeft)
        {
            SortNumbers(numbers);
            Work.Keep(Measure(text));
        }
        NativeMemory.Free(numbers);
        NativeMemory.Free(text);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void SortNumbers(int* numbers)
    {
        uint x = 1;
        for (int i = 0; i < kNumbers; i++) numbers[i] = (int)(x = x * 1664525 + 1013904223);
        Sort(numbers, kNumbers, sizeof(int), &Compare);
    }

    [UnmanagedCallersOnly]
    private static int Compare(int* left, int* right) => Order(*left, *right);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Order(int left, int right) => left < right ? -1 : left > right ? 1 : 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Measure(byte* text)
    {
        ulong sum = 0;
        for (int i = 0; i < 5; i++) sum += Length(text);
        return sum;
    }
}

/// <summary>A chain of methods that do hardly anything: the callers of each are known.</summary>
internal static class Tiny
{
    public static void Use(CpuBudget budget)
    {
        ulong x = 1;
        while (budget.IsLeft) x = Begin(x, 20_000);
        Work.Keep(x);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Begin(ulong x, int times)
    {
        for (int i = 0; i < times; i++) x = One(x) + Left(x) + Right(x);
        return x;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong One(ulong x) => Two(x + 1) ^ 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Two(ulong x) => Three(x + 2) ^ 2;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Three(ulong x) => Four(x + 3) ^ 3;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Four(ulong x) => x * Work.kFactor + Work.kAddend;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Left(ulong x) => LeftLeaf(x) + 5;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong LeftLeaf(ulong x) => x * Work.kFactor ^ x >> 7;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Right(ulong x) => RightLeaf(x) + 6;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong RightLeaf(ulong x) => x / 3 ^ x << 9;
}

/// <summary>Methods that the JIT inlines into their callers: unless it reports that, all of their
/// time is attributed to Run.</summary>
internal static class Inlined
{
    public static void Use(CpuBudget budget)
    {
        ulong x = 1, random = 13;
        while (budget.IsLeft) x = Run(x, Work.NextUnit(ref random));
        Work.Keep(x);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Run(ulong x, int steps)
    {
        for (int i = 0; i < steps; i++) x = Heavy(x) + Light(x);
        return x;
    }

    private static ulong Heavy(ulong x) => Step(Step(Step(x)));

    private static ulong Light(ulong x) => x >> 3;

    private static ulong Step(ulong x) => x * Work.kFactor / (x | 1) + Work.kAddend;
}

/// <summary>Precompiled code, and code that the regex engine compiles at run time.</summary>
internal static class Framework
{
    private static readonly Regex kNumber = new("(?<whole>[0-9]+)\\.(?<part>[0-9]+)");
    private static readonly string kText = string.Join(' ', Enumerable.Range(0, 200).Select(i => $"item{i} {i}.{i * 7}"));
    private static readonly Dictionary<string, int> kPrices = Enumerable.Range(0, 100).ToDictionary(i => $"item{i}");

    public static void Use(CpuBudget budget)
    {
        while (budget.IsLeft)
        {
            Work.Keep(Match());
            Work.Keep(Convert());
            Work.Keep(Sort());
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Match() => (ulong)kNumber.Matches(kText).Count;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Convert()
    {
        string json = JsonSerializer.Serialize(kPrices);
        return (ulong)JsonSerializer.Deserialize<Dictionary<string, int>>(json)!.Count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong Sort()
    {
        string[] words = kText.Split(' ');
        Array.Sort(words, (a, b) => string.CompareOrdinal(b, a));
        return (ulong)words[0].Length;
    }
}
