using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Samples;

/// <summary>
/// The object graph below some static fields as seen by reflection: objects by type, references by
/// field. An independent check of truth.json without a recorder, in the same form.
/// </summary>
internal sealed class GraphLog
{
    private const BindingFlags kOwn = BindingFlags.Public | BindingFlags.NonPublic |
                                      BindingFlags.Instance | BindingFlags.Static |
                                      BindingFlags.DeclaredOnly;

    private sealed record Slot(string Name, FieldInfo[] Path);

    private readonly SortedDictionary<string, int> types_ = new(StringComparer.Ordinal);
    private readonly SortedDictionary<(string, string, string), int> edges_ = new();
    private readonly HashSet<object> seen_ = new(ReferenceEqualityComparer.Instance);
    private readonly Stack<object> open_ = new();
    private readonly Dictionary<Type, Slot[]> layouts_ = new();
    private readonly Dictionary<Type, string> names_ = new();

    public static void Write(string file, Type[] statics, object[] more)
    {
        var log = new GraphLog();
        foreach (Type type in statics) log.AddStatics(type);
        foreach (object root in more) log.Visit(root);
        log.Walk();
        File.WriteAllText(file, JsonSerializer.Serialize(new
        {
            types = log.types_,
            edges = log.edges_.Select(e => new object[] { e.Key.Item1, e.Key.Item2, e.Key.Item3, e.Value }),
        }));
    }

    private void AddStatics(Type type)
    {
        foreach (FieldInfo field in type.GetFields(kOwn))
        {
            if (!field.IsStatic || field.IsLiteral || field.GetValue(null) is not { } value) continue;
            // A struct in a static field is in a box of its own.
            if (field.FieldType.IsPrimitive || field.FieldType.IsEnum) continue;
            bool isOfThread = field.IsDefined(typeof(ThreadStaticAttribute));
            Edge(isOfThread ? "thread static" : "static", $"{Name(type)}.{FieldName(field)}", value);
        }
    }

    private void Walk()
    {
        while (open_.TryPop(out object? holder))
        {
            Type type = holder.GetType();
            types_[Name(type)] = types_.GetValueOrDefault(Name(type)) + 1;
            if (IsForeign(type)) continue;
            if (holder is Array array) VisitElements(array);
            else foreach (Slot slot in Layout(type)) VisitSlot(type, slot, ".", holder);
        }
    }

    private void VisitElements(Array array)
    {
        Type element = array.GetType().GetElementType()!;
        if (!element.IsValueType)
        {
            foreach (object? target in array) if (target != null) Edge(Name(array.GetType()), "[]", target);
            return;
        }
        Slot[] slots = Layout(element);
        if (slots.Length == 0) return;
        foreach (object boxed in array) foreach (Slot slot in slots) VisitSlot(array.GetType(), slot, "[].", boxed);
    }

    private void VisitSlot(Type holder, Slot slot, string prefix, object? value)
    {
        foreach (FieldInfo field in slot.Path)
        {
            value = field.GetValue(value);
            if (value == null) return;
        }
        Edge(Name(holder), prefix + slot.Name, value!);
    }

    private void Edge(string from, string field, object target)
    {
        (string, string, string) edge = (from, field, Name(target.GetType()));
        edges_[edge] = edges_.GetValueOrDefault(edge) + 1;
        Visit(target);
    }

    private void Visit(object target)
    {
        if (seen_.Add(target)) open_.Push(target);
    }

    /// <summary>Types of the runtime itself, from which the whole process is reachable.</summary>
    private static bool IsForeign(Type type) =>
        type == typeof(string) || typeof(MemberInfo).IsAssignableFrom(type) || type == typeof(Thread) ||
        type.Namespace is { } place && (place.StartsWith("System.Reflection") || place == "System.Globalization");

    // ---- Reference slots of a class, by name --------------------------------------------------------

    private Slot[] Layout(Type type)
    {
        if (layouts_.TryGetValue(type, out Slot[]? known)) return known;
        var found = new List<(Type Declarer, Slot Slot)>();
        for (Type? at = type; at != null && at != typeof(object); at = at.BaseType)
        {
            foreach (Slot slot in OwnSlots(at)) found.Add((at, slot));
        }
        // If a name occurs twice, it is preceded by its class.
        HashSet<string> ambiguous = found.GroupBy(f => f.Slot.Name).Where(g => g.Count() > 1)
                                         .Select(g => g.Key).ToHashSet();
        Slot[] slots = found.Select(f => ambiguous.Contains(f.Slot.Name)
            ? f.Slot with { Name = $"{ShortName(f.Declarer)}.{f.Slot.Name}" } : f.Slot).ToArray();
        layouts_[type] = slots;
        return slots;
    }

    private static IEnumerable<Slot> OwnSlots(Type type)
    {
        if (type.IsDefined(typeof(InlineArrayAttribute))) yield break;  // reflection sees one element
        foreach (FieldInfo field in type.GetFields(kOwn))
        {
            Type of = field.FieldType;
            if (field.IsStatic || of.IsPointer || of.IsByRef || of.IsFunctionPointer) continue;
            if (!of.IsValueType) yield return new Slot(FieldName(field), [field]);
            else if (!of.IsPrimitive && !of.IsEnum)
            {
                // Reflection has no boxed Nullable: it returns the value, or null.
                Type? ofNullable = Nullable.GetUnderlyingType(of);
                string path = FieldName(field) + (ofNullable != null ? ".value" : "");
                foreach (Slot inner in OwnSlots(ofNullable ?? of))
                {
                    yield return new Slot($"{path}.{inner.Name}", [field, .. inner.Path]);
                }
            }
        }
    }

    // ---- Names as in the reports
    // -------------------------------------------------------------------

    private string Name(Type type)
    {
        if (!names_.TryGetValue(type, out string? name)) names_[type] = name = TypeNames.Of(type);
        return name;
    }

    /// <summary>For the field of an automatic property, the property's name.</summary>
    private static string FieldName(FieldInfo field) =>
        field.Name.EndsWith(">k__BackingField") ? field.Name[1..field.Name.IndexOf('>')] : field.Name;

    private static string ShortName(Type type)
    {
        string name = TypeNames.Of(type);
        int arguments = name.IndexOf('<');
        int dot = name.LastIndexOf('.', arguments < 0 ? name.Length - 1 : arguments);
        return (arguments < 0 ? name : name[..arguments])[(dot + 1)..];
    }
}
