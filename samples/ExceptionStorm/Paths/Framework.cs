using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Exceptions that the framework and the processor throw.</summary>
internal static class Framework
{
    private static readonly Dictionary<string, int> numbers_ = new();
    private static int result_;
    private static int zero_ = 0;
    private static object object_ = "text";
    private static Node? nothing_ = null;
    private static readonly int[] three_ = new int[3];

    private sealed class Node
    {
        public int Value;
    }

    [MethodImpl(Keep.Frame)]
    public static void RunParse()
    {
        try
        {
            result_ += int.Parse("twelve");
        }
        catch (FormatException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    public static void RunMissingKey()
    {
        try
        {
            result_ += numbers_["absent"];
        }
        catch (KeyNotFoundException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    public static void RunMissingFile()
    {
        try
        {
            using FileStream file = File.Open("/nowhere.txt", FileMode.Open);
        }
        catch (FileNotFoundException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    public static void RunNullReference()
    {
        try
        {
            result_ += Dereference(nothing_!);
        }
        catch (NullReferenceException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Dereference(Node node) => node.Value + 1;

    [MethodImpl(Keep.Frame)]
    public static void RunDivideByZero()
    {
        try
        {
            result_ += Divide(result_);
        }
        catch (DivideByZeroException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Divide(int value) => value / zero_ + 1;

    [MethodImpl(Keep.Frame)]
    public static void RunInvalidCast()
    {
        try
        {
            result_ += Cast().Value;
        }
        catch (InvalidCastException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static Node Cast()
    {
        var node = (Node)object_;
        node.Value++;
        return node;
    }

    [MethodImpl(Keep.Frame)]
    public static void RunOutOfRange()
    {
        try
        {
            result_ += Index(three_, 3);
        }
        catch (IndexOutOfRangeException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Index(int[] array, int index) => array[index] + 1;
}
