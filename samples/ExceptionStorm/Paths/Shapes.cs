using System.Reflection;
using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>Code to which the compiler or the runtime gives names other than those in the
/// source.</summary>
internal static class Shapes
{
    private static int result_;

    [MethodImpl(Keep.Frame)]
    public static void RunGenericClass()
    {
        try
        {
            result_ += new Box<string>().Open("lid");
        }
        catch (GenericClassException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    public static void RunGenericMethod()
    {
        try
        {
            result_ += Convert<int, long>(1);
        }
        catch (GenericMethodException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static int Convert<TFrom, TTo>(TFrom value)
    {
        if (value != null) throw new GenericMethodException("no conversion");
        return 1;
    }

    [MethodImpl(Keep.Frame)]
    public static void RunLambda()
    {
        Func<int, int> work = [MethodImpl(Keep.Frame)] (value) =>
            value > 0 ? throw new LambdaException("in a lambda") : value;
        try
        {
            result_ += work(1);
        }
        catch (LambdaException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    public static void RunLocalFunction()
    {
        try
        {
            result_ += Local(1);
        }
        catch (LocalFunctionException)
        {
        }

        [MethodImpl(Keep.Frame)]
        static int Local(int value) =>
            value > 0 ? throw new LocalFunctionException("in a local function") : value;
    }

    [MethodImpl(Keep.Frame)]
    public static void RunIterator()
    {
        try
        {
            foreach (int number in Numbers()) result_ += number;
        }
        catch (IteratorException)
        {
        }
    }

    private static IEnumerable<int> Numbers()
    {
        yield return 1;
        if (result_ >= 0) throw new IteratorException("no second number");
        yield return 2;
    }

    [MethodImpl(Keep.Frame)]
    public static void RunReflected()
    {
        MethodInfo method = typeof(Shapes).GetMethod(nameof(ThrowReflected), BindingFlags.Static | BindingFlags.NonPublic)!;
        try
        {
            method.Invoke(null, null);
        }
        catch (TargetInvocationException)
        {
        }
    }

    [MethodImpl(Keep.Frame)]
    private static void ThrowReflected() => throw new ReflectedException("called by reflection");

    [MethodImpl(Keep.Frame)]
    public static void RunStaticConstructor()
    {
        try
        {
            result_ += Broken.Value;
        }
        catch (TypeInitializationException)
        {
        }
    }
}

internal sealed class Box<T> where T : class
{
    [MethodImpl(Keep.Frame)]
    public int Open(T lid)
    {
        if (lid != null) throw new GenericClassException("the box is shut");
        return 1;
    }
}

internal static class Broken
{
    public static readonly int Value;

    static Broken()
    {
        Value = Fail();
    }

    [MethodImpl(Keep.Frame)]
    private static int Fail() => throw new StaticConstructorException("cannot begin");
}

internal sealed class GenericClassException(string message) : Exception(message);

internal sealed class GenericMethodException(string message) : Exception(message);

internal sealed class LambdaException(string message) : Exception(message);

internal sealed class LocalFunctionException(string message) : Exception(message);

internal sealed class IteratorException(string message) : Exception(message);

internal sealed class ReflectedException(string message) : Exception(message);

internal sealed class StaticConstructorException(string message) : Exception(message);
