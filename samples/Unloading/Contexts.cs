using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

namespace Unloading;

/// <summary>Loads this same program again, into a collectible context, and runs it there.</summary>
internal static class Contexts
{
    private static readonly byte[] image_ = File.ReadAllBytes(typeof(Contexts).Assembly.Location);
    private static readonly List<WeakReference> loaded_ = new();

    public static bool Round(int seed)
    {
        long expected = Guest.Result(seed);
        bool right = Load(seed, out WeakReference context) == expected;
        lock (loaded_)
        {
            loaded_.RemoveAll(one => !one.IsAlive);
            loaded_.Add(context);
        }
        return right;
    }

    // Not inlined: no local of the caller keeps the context alive.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Load(int seed, out WeakReference weak)
    {
        var context = new AssemblyLoadContext("guest " + seed, isCollectible: true);
        weak = new WeakReference(context);
        Assembly assembly = context.LoadFromStream(new MemoryStream(image_));
        MethodInfo work = assembly.GetType("Unloading.Guest")!.GetMethod(nameof(Guest.Work))!;
        long result = work.CreateDelegate<Func<int, long>>()(seed);
        context.Unload();
        return result;
    }

    public static bool AllAreUnloaded()
    {
        for (int i = 0; i < 100; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            if (loaded_.TrueForAll(one => !one.IsAlive)) return true;
            Thread.Sleep(10);
        }
        return false;
    }
}
