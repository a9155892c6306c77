using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

#pragma warning disable CS0414, CS0169, CS0649, IDE0051, IDE0052  // read only by snapshots

namespace GraphShapes;

// ---- Inheritance: private fields of equal names, in classes with other fields between -----------------

internal class Bottom
{
    private readonly Apple kept_ = new();
    private readonly int count_ = 1;
    protected readonly Lemon shared_ = new();
}

internal class Middle : Bottom
{
    private readonly byte flag_ = 1;
    private readonly Pear kept_ = new();
}

internal sealed class Top : Middle
{
    private readonly long number_ = 1;
    private readonly Plum kept_ = new();
    private readonly Fig own_ = new();
}

// ---- Structs in objects, in other structs, in arrays
// ---------------------------------------------------

internal struct Couple
{
    public Cherry? Left;
    public int Between;
    public Grape? Right;

    public static Couple New() => new() { Left = new Cherry(), Between = 7, Right = new Grape() };
}

internal struct Nest
{
    public short Before;
    public Couple Inner;
    public Melon? Own;

    public static Nest New() => new() { Inner = Couple.New(), Own = new Melon() };
}

internal sealed class CoupleHolder
{
    private readonly long number_ = 1;
    private readonly Couple couple_ = Couple.New();
    private readonly Peach after_ = new();
}

internal sealed class NestHolder
{
    private readonly Quince before_ = new();
    private readonly Nest nest_ = Nest.New();
    private readonly bool flag_ = true;
    private readonly Couple second_ = Couple.New();
}

[StructLayout(LayoutKind.Explicit)]
internal sealed class Placed
{
    [FieldOffset(16)] private readonly Apple second_ = new();
    [FieldOffset(0)] private readonly Pear first_ = new();
    [FieldOffset(8)] private readonly long number_ = 1;
}

[InlineArray(3)]
internal struct Three
{
    public Apple? Item;
}

internal sealed class ThreeHolder
{
    private Three three_;
    private readonly Pear after_ = new();

    public ThreeHolder()
    {
        for (int i = 0; i < 3; i++) three_[i] = new Apple();
    }
}

// ---- Generics over references and structs --------------------------------------------------------------

internal class Box<T>(T item)
{
    private readonly Fig mark_ = new();
    private readonly T item_ = item;
}

internal sealed class BiggerBox<T>(T outer, T inner) : Box<T>(inner)
{
    private readonly T item_ = outer;
}

internal struct Cell<T>
{
    public int Number;
    public T? Value;
    public Quince? Mark;
}

internal sealed class CellHolder
{
    private readonly Cell<Apple> first_ = new() { Value = new Apple(), Mark = new Quince() };
    private readonly Cell<int> second_ = new() { Value = 2, Mark = new Quince() };
    private readonly Cell<Couple> third_ = new() { Value = Couple.New(), Mark = new Quince() };
    private readonly (Pear, int, Plum) tuple_ = (new Pear(), 1, new Plum());
}

internal sealed class Shelf<T>
{
    internal sealed class Board<TMore>(T item, TMore more)
    {
        private readonly T item_ = item;
        private readonly TMore more_ = more;
    }
}

// ---- Nulls, cycles, depth ------------------------------------------------------------------------------

internal sealed class Sparse
{
    private readonly Apple? a_ = null;
    private readonly Pear? b_ = null;
    private readonly Plum c_ = new();
    private readonly Fig? d_ = null;
    private readonly Grape e_ = new();
    private readonly Lemon? f_ = null;
}

internal sealed class Ring
{
    public Ring? Next;
    public Melon Own = new();
}

internal sealed class Link
{
    public readonly int Number;
    public readonly Link? Next;

    public Link(int number, Link? next)
    {
        Number = number;
        Next = next;
    }
}

/// <summary>A pending async method: its parameters and locals are in a struct in the runtime's
/// box.</summary>
internal static class Suspended
{
    public static async Task<int> Wait(Task what, Apple apple, Pear pear)
    {
        await what;
        GC.KeepAlive(apple);
        GC.KeepAlive(pear);
        return 1;
    }
}
