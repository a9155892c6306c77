// An object of every shape that a heap can have. truth.json lists each reference with its field;
// references that are not listed there do not exist.
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Samples;

namespace GraphShapes;

internal static class Program
{
    private const int kDeep = 1_000_000;
    private const int kLarge = 20_000;

    private static readonly Type[] kStatics =
        [typeof(Statics), typeof(GenericStatics<Apple>), typeof(GenericStatics<int>),
         typeof(GenericStatics<Couple>), typeof(StaticsOfStruct)];

    private static Shapes? shapes_;
    private static readonly TaskCompletionSource never_ = new();
    private static Task<int>? pending_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "GraphShapes " + Stay.Usage);
        Build();
        Stay.UntilTheEnd(arguments, [typeof(Program), .. kStatics]);
    }

    /// <summary>Not inlined: no frame of Main keeps alive what only the fields should.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Build()
    {
        shapes_ = new Shapes(kDeep, kLarge);
        pending_ = Suspended.Wait(never_.Task, new Apple(), new Pear());
        Statics.SetOfThread();
        foreach (Type type in kStatics) RuntimeHelpers.RunClassConstructor(type.TypeHandle);
    }
}

internal sealed class Shapes
{
    // Inheritance, embedded structs, layouts.
    private readonly Bottom bottom_ = new();
    private readonly Middle middle_ = new();
    private readonly Top top_ = new();
    private readonly CoupleHolder coupleHolder_ = new();
    private readonly NestHolder nestHolder_ = new();
    private readonly Placed placed_ = new();
    private readonly ThreeHolder threeHolder_ = new();

    // Arrays.
    private readonly Couple[] couples_ = [Couple.New(), default, Couple.New()];
    private readonly Nest[] nests_ = [Nest.New(), Nest.New()];
    private readonly Cell<Apple>[] cells_ = [new() { Value = new Apple(), Mark = new Quince() }, new() { Number = 1 }];
    private readonly Pear?[] pears_ = [null, new Pear(), null, new Pear()];
    private readonly Pear[][] jagged_ = [[new Pear()], new Pear[0], [new Pear(), new Pear()]];
    private readonly Plum?[,] matrix_ = { { new Plum(), null, new Plum() }, { null, new Plum(), null } };
    private readonly Couple[,,] cube_ = new Couple[2, 2, 2];
    private readonly int[,] numbers_ = { { 1, 2 }, { 3, 4 } };
    private readonly Fig[] none_ = new Fig[0];  // not Array.Empty, which a static also holds
    private readonly object[] mixed_ = [new Fig(), 1, new Cherry(), "text", new int[3]];
    private readonly Grape?[] large_;
    private readonly Couple[] largeCouples_;
    private readonly byte[] largeBytes_ = new byte[200_000];
    private readonly byte[] pinned_ = GC.AllocateArray<byte>(1000, pinned: true);
    private readonly Lemon[] pinnedReferences_ = GC.AllocateArray<Lemon>(2, pinned: true);

    // Generics.
    private readonly Box<Apple> boxOfApple_ = new(new Apple());
    private readonly Box<int> boxOfInt_ = new(3);
    private readonly Box<Couple> boxOfCouple_ = new(Couple.New());
    private readonly Box<string> boxOfText_ = new("in a box");
    private readonly BiggerBox<Peach> biggerBox_ = new(new Peach(), new Peach());
    private readonly CellHolder cellHolder_ = new();
    private readonly Shelf<Apple>.Board<Pear> board_ = new(new Apple(), new Pear());
    private readonly GenericStatics<Apple> ofApple_ = new();
    private readonly GenericStatics<int> ofInt_ = new();
    private readonly GenericStatics<Couple> ofCouple_ = new();
    private readonly Shelf<int>.Board<Plum> boardOfInt_ = new(1, new Plum());

    // Boxes.
    private readonly object boxedInt_ = 12345;
    private readonly object boxedCouple_ = Couple.New();
    private readonly object boxedNest_ = Nest.New();
    private readonly object boxedCell_ = new Cell<Pear> { Value = new Pear() };
    private readonly object boxedNullable_ = (Couple?)Couple.New();
    private readonly Couple? nullable_ = Couple.New();

    // Nulls, cycles, depth.
    private readonly Sparse sparse_ = new();
    private readonly Ring ring_ = new();
    private readonly Ring self_ = new();
    private readonly Link? deep_;

    // Collections of the framework.
    private readonly List<Apple> list_ = [new Apple(), new Apple()];
    private readonly Dictionary<string, Pear> dictionary_ = new() { ["one"] = new Pear(), ["two"] = new Pear() };
    private readonly Dictionary<int, Couple> couplesByNumber_ = new() { [1] = Couple.New() };
    private readonly ConcurrentDictionary<int, Fig> concurrent_ = new(1, 7) { [1] = new Fig() };
    private readonly LinkedList<Grape> linked_ = new([new Grape(), new Grape()]);
    private readonly ConditionalWeakTable<Apple, Quince> attached_ = new();
    private readonly Apple key_ = new();
    private readonly Func<int> closed_;
    private readonly Action many_;

    public Shapes(int deep, int large)
    {
        large_ = new Grape[large];
        for (int i = 0; i < large; i += 1000) large_[i] = new Grape();
        largeCouples_ = new Couple[large];
        for (int i = 0; i < large; i += 2000) largeCouples_[i] = Couple.New();
        cube_[1, 0, 1] = Couple.New();
        for (int i = 0; i < pinnedReferences_.Length; i++) pinnedReferences_[i] = new Lemon();
        ring_.Next = new Ring { Next = new Ring { Next = ring_ } };
        self_.Next = self_;
        for (int i = 0; i < deep; i++) deep_ = new Link(i, deep_);
        attached_.Add(key_, new Quince());
        var captured = new Melon();
        closed_ = () => captured.Weight;
        many_ = First;
        many_ += Second;
    }

    private void First() { }
    private void Second() { }
}
