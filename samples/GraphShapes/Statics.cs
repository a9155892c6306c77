#pragma warning disable CS0414, CS0169, IDE0052

namespace GraphShapes;

/// <summary>A static field of every kind.</summary>
internal static class Statics
{
    private static Apple plain_ = new();
    private static readonly Pear readOnly_ = new();
    private static Plum? empty_ = null;
    private static Couple structure_ = Couple.New();
    private static int number_ = 5;
    private static object boxed_ = 42;
    [ThreadStatic] private static Cherry? ofThread_;
    [ThreadStatic] private static Couple structureOfThread_;
    public static Grape Property { get; } = new();

    public static void SetOfThread()
    {
        ofThread_ = new Cherry();
        structureOfThread_ = Couple.New();
    }
}

internal sealed class GenericStatics<T>
{
    private static Box<T?> held_ = new(default);
    public static Lemon Lemon { get; } = new();
}

internal struct StaticsOfStruct
{
    public int Number = 1;
    public StaticsOfStruct() { }
    public static readonly Melon Held = new();
}
