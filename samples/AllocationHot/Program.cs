// Allocates known numbers of objects of known sizes along known paths. Each path runs in many small
// portions, alternating with the others, and checks itself: the runtime's own count of allocated
// bytes must match the table of paths.
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using Samples;

namespace AllocationHot;

internal static class Program
{
    private const string kUsage =
        "AllocationHot [--megabytes N] [--keep N] [--drop-methods N]\n" +
        "  --megabytes N     along each path (default 128)\n" +
        "  --keep N          of each path's last portion, keep so many objects alive (default 0)\n" +
        "  --drop-methods N  before each portion, make so many dynamic methods, call them, and have them\n" +
        "                    unloaded (default 0)\n";
    private const int kPortions = 64;

    // Sizes on 64 bits: 16 bytes for header and MethodTable, 8 for an array's length, all rounded
    // up to 8.
    private sealed record Path(string Method, string Type, long Bytes, Action<int> Allocate);

    private static readonly Path[] paths_ =
    {
        new("Strings", "System.String", 22 + 2 * 101, Strings),
        new("SmallArrays", "System.Byte[]", 24 + 256, SmallArrays),
        new("LargeArrays", "System.Byte[]", 24 + 100_000, LargeArrays),
        new("Boxes", "System.Int32", 24, Boxes),
        new("GrowLists", "System.Int64[]", 9 * 24 + 8 * 2044, GrowLists),
        new("Closures", "System.Func`1", 24 + 64, Closures),
        new("AsyncCalls", "System.Threading.Tasks.Task`1", 72, AsyncCalls),
    };

    private static readonly List<object> kept_ = new();
    private static object? last_;
    private static int keep_;

    private static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        Scene.Play(arguments, () => Build(arguments.Number("megabytes", 128), arguments.Number("keep", 0),
                                          arguments.Number("drop-methods", 0)));
        GC.KeepAlive(kept_);
    }

    private static void Build(int megabytes, int keep, int dropMethods)
    {
        foreach (Path path in paths_) path.Allocate(2);  // compiles it, and loads its types
        kept_.Clear();
        var measured = new long[paths_.Length];
        for (int portion = 0; portion < kPortions; portion++)
        {
            if (dropMethods != 0) DropMethods(dropMethods);
            keep_ = portion == kPortions - 1 ? keep : 0;
            kept_.EnsureCapacity(keep * paths_.Length);
            for (int i = 0; i < paths_.Length; i++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                paths_[i].Allocate(Count(paths_[i], megabytes));
                measured[i] += GC.GetAllocatedBytesForCurrentThread() - before;
            }
        }
        last_ = null;
        if (keep != 0) GC.Collect();  // only what is kept is left
        for (int i = 0; i < paths_.Length; i++)
        {
            long expected = paths_[i].Bytes * Count(paths_[i], megabytes) * kPortions;
            if (Math.Abs(measured[i] - expected) <= expected / 50) continue;
            Console.WriteLine($"{paths_[i].Method}: {measured[i]} bytes instead of {expected}");
        }
    }

    // A method is unloaded by the finalizer of an object that its resolver's finalizer creates.
    private static void DropMethods(int count)
    {
        for (int i = 0; i < count; i++) MakeAndCall(i);
        for (int i = 0; i < 2; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void MakeAndCall(int number)
    {
        var method = new DynamicMethod("Dropped" + number, typeof(object), Type.EmptyTypes);
        ILGenerator code = method.GetILGenerator();
        code.Emit(OpCodes.Newobj, typeof(object).GetConstructor(Type.EmptyTypes)!);
        code.Emit(OpCodes.Ret);
        last_ = ((Func<object>)method.CreateDelegate(typeof(Func<object>)))();
    }

    private static int Count(Path path, int megabytes) =>
        (int)Math.Max(1, megabytes * 1_000_000L / (kPortions * path.Bytes));

    private static void Keep(object value, int index)
    {
        last_ = value;
        if (index < keep_) kept_.Add(value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Strings(int count)
    {
        for (int i = 0; i < count; i++) Keep(new string('x', 101), i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void SmallArrays(int count)
    {
        for (int i = 0; i < count; i++) Keep(new byte[256], i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LargeArrays(int count)
    {
        for (int i = 0; i < count; i++) Keep(new byte[100_000], i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Boxes(int count)
    {
        for (int i = 0; i < count; i++) Keep(i, i);
    }

    // Capacities 4, 8, ... 1024.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void GrowLists(int count)
    {
        var list = new List<long>();
        for (int i = 0; i < count; i++)
        {
            list.Clear();
            list.Capacity = 0;
            for (int k = 0; k < 1000; k++) list.Add(k);
        }
    }

    // The closure has 24 bytes, the delegate 64.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Closures(int count)
    {
        for (int i = 0; i < count; i++) Keep(Captured(i), i);

        static Func<int> Captured(int value) => () => value;
    }

    // The result of an async method that did not have to wait; tasks for small values are cached.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AsyncCalls(int count)
    {
        for (int i = 0; i < count; i++) Keep(Answer(1_000 + i), i);

        static async Task<int> Answer(int value)
        {
            await Task.CompletedTask;
            return value;
        }
    }
}
