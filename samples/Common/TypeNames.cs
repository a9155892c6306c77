namespace Samples;

/// <summary>A type name in C# syntax, as in the reports.</summary>
internal static class TypeNames
{
    private static readonly Dictionary<Type, string> kKeywords = new()
    {
        [typeof(bool)] = "bool", [typeof(byte)] = "byte", [typeof(char)] = "char", [typeof(decimal)] = "decimal",
        [typeof(double)] = "double", [typeof(short)] = "short", [typeof(int)] = "int", [typeof(long)] = "long",
        [typeof(nint)] = "nint", [typeof(object)] = "object", [typeof(sbyte)] = "sbyte", [typeof(float)] = "float",
        [typeof(string)] = "string", [typeof(ushort)] = "ushort", [typeof(uint)] = "uint",
        [typeof(ulong)] = "ulong", [typeof(nuint)] = "nuint",
    };

    public static string Of(Type type)
    {
        if (kKeywords.TryGetValue(type, out string? keyword)) return keyword;
        if (type.IsArray) return OfArray(type);
        if (Nullable.GetUnderlyingType(type) is { } value) return Of(value) + "?";
        if (type.Name is "ValueTuple`2" or "ValueTuple`3" && !type.IsGenericTypeDefinition)
        {
            return $"({string.Join(", ", type.GetGenericArguments().Select(Of))})";
        }
        var chain = new List<Type>();
        for (Type? at = type; at != null; at = at.DeclaringType) chain.Insert(0, at);
        Type[] arguments = type.GetGenericArguments();
        int used = 0;
        string name = type.Namespace is { Length: > 0 } place ? place + "." : "";
        for (int i = 0; i < chain.Count; i++)
        {
            int all = chain[i].GetGenericArguments().Length;
            string own = string.Join(", ", arguments[used..all].Select(Of));
            name += (i > 0 ? "." : "") + Plain(chain[i].Name) + (own.Length > 0 ? $"<{own}>" : "");
            used = all;
        }
        return name;
    }

    /// <summary>The outermost brackets come first: int[][,] contains int[,].</summary>
    private static string OfArray(Type type)
    {
        string brackets = "";
        for (; type.IsArray; type = type.GetElementType()!)
        {
            brackets += "[" + new string(',', type.GetArrayRank() - 1) + "]";
        }
        return Of(type) + brackets;
    }

    private static string Plain(string metadata)
    {
        int tick = metadata.IndexOf('`');
        string name = tick < 0 ? metadata : metadata[..tick];
        if (name.StartsWith("<>c")) return "closure";
        return name.StartsWith('<') && name.Contains(">d") ? name[1..name.IndexOf('>')] : name;
    }
}
