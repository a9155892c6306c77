using System.Collections.Frozen;

namespace Shop.Running;

/// <summary>The problems enabled in this run. Code that should misbehave queries it; queries are
/// counted.</summary>
internal static class Quirks
{
    private sealed class Quirk
    {
        public int Asked;
    }

    private static FrozenDictionary<string, Quirk> active_ = FrozenDictionary<string, Quirk>.Empty;

    public static void Activate(IEnumerable<string> names) =>
        active_ = names.Distinct().ToFrozenDictionary(name => name, _ => new Quirk());

    public static IEnumerable<string> Active => active_.Keys;

    /// <summary>Thread-safe; cheap.</summary>
    public static bool On(string name)
    {
        if (!active_.TryGetValue(name, out Quirk? quirk)) return false;
        Interlocked.Increment(ref quirk.Asked);
        return true;
    }

    /// <summary>How often it was queried while enabled.</summary>
    public static int Asked(string name) => active_.TryGetValue(name, out Quirk? quirk) ? Volatile.Read(ref quirk.Asked) : 0;
}
