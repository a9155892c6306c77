// Each case throws an exception whose message is the case's name. Its marks: NAME.throw, NAME.call
// for the caller, NAME.catch for the handler.
using System.Runtime.CompilerServices;

namespace Lines;

internal sealed class CaseException(string message) : Exception(message);

internal static class Throws
{
    private static int seen_;

    public static async Task All()
    {
        SimpleCase();
        TwoPlacesCase(true);
        TwoPlacesCase(false);
        StatementCase();
        ArgumentCase();
        ExpressionCase();
        GenericCase();
        LambdaCase();
        LocalFunctionCase();
        IteratorCase();
        SwitchCase();
        LoopCase();
        ConstructorCase();
        FinallyCase();
        HandlerCase();
        DivisionCase();
        NullCase();
        await AsyncCase();
        await AsyncCallerCase();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Seen() => seen_++;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsNeverSeen() => seen_ < 0;

    private static void SimpleCase()
    {
        try
        {
            Seen();
            Simple();                           // line: simple.call
            Seen();
        }
        catch (CaseException)                   // line: simple.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Simple()
    {
        Seen();
        if (IsNeverSeen()) return;
        throw new CaseException("simple");      // line: simple.throw
    }

    // One group in a report: the path's methods are the same.
    private static void TwoPlacesCase(bool first)
    {
        try
        {
            TwoPlaces(first);                   // line: two.call
        }
        catch (CaseException)                   // line: two.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void TwoPlaces(bool first)
    {
        if (first)
        {
            throw new CaseException("two");     // line: two.throw
        }
        Seen();
        throw new CaseException("two");         // line: two.throw-second
    }

    private static void StatementCase()
    {
        try
        {
            int sum = Number(1)                 // line: statement.call
                + Number(2)
                + Number(-1);
            seen_ += sum;
        }
        catch (CaseException)                   // line: statement.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Number(int number)
    {
        if (number > 0) return number;
        throw new CaseException(                // line: statement.throw
            "state" +
            "ment");
    }

    private static void ArgumentCase()
    {
        try
        {
            Take(1, Refused());                 // line: argument.call
        }
        catch (CaseException e)                 // line: argument.catch
        {
            seen_ += e.Message.Length;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Take(int one, int two) => seen_ += one + two;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Refused() =>
        throw new CaseException("argument");    // line: argument.throw

    private static void ExpressionCase()
    {
        try
        {
            seen_ += ExpressionBody(Value());   // line: expression.call
        }
        catch (CaseException)                   // line: expression.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static string? Value() => IsNeverSeen() ? "" : null;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int ExpressionBody(string? text)
    {
        Seen();
        string value = text ?? throw new CaseException("expression");  // line: expression.throw
        return value.Length;
    }

    private static void GenericCase()
    {
        try
        {
            Generic<string>("generic");         // line: generic.call
            Seen();
        }
        catch (CaseException)                   // line: generic.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Generic<T>(T value)
    {
        Seen();
        throw new CaseException($"{value}");    // line: generic.throw
    }

    private static void LambdaCase()
    {
        Action lambda = () =>
        {
            Seen();
            throw new CaseException("lambda");  // line: lambda.throw
        };
        try
        {
            lambda();                           // line: lambda.call
            Seen();
        }
        catch (CaseException)                   // line: lambda.catch
        {
            Seen();
        }
    }

    private static void LocalFunctionCase()
    {
        try
        {
            Local();                            // line: local.call
            Seen();
        }
        catch (CaseException e) when (e.Message.Length > 0)  // line: local.catch
        {
            Seen();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Local()
        {
            Seen();
            throw new CaseException("local");   // line: local.throw
        }
    }

    private static void IteratorCase()
    {
        try
        {
            foreach (int number in Numbers())   // line: iterator.call
            {
                seen_ += number;
            }
        }
        catch (CaseException)                   // line: iterator.catch
        {
            Seen();
        }
    }

    private static IEnumerable<int> Numbers()
    {
        yield return 1;
        Seen();
        yield return 2;
        if (IsNeverSeen()) yield break;
        throw new CaseException("iterator");    // line: iterator.throw
    }

    private static void SwitchCase()
    {
        try
        {
            Seen();
            seen_ += Switch(seen_ < 0 ? 1 : 2); // line: switch.call
        }
        catch (CaseException)                   // line: switch.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Switch(int choice)
    {
        switch (choice)
        {
            case 1:
                throw new InvalidOperationException("switch");
            case 2:
                Seen();
                throw new CaseException("switch");  // line: switch.throw
            default:
                return 3;
        }
    }

    private static void LoopCase()
    {
        try
        {
            Loop(10);                           // line: loop.call
            Seen();
        }
        catch (CaseException)                   // line: loop.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Loop(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Seen();
            if (i == 5)
            {
                throw new CaseException("loop");  // line: loop.throw
            }
            seen_ += i;
        }
    }

    private sealed class Constructed
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public Constructed()
        {
            Seen();
            throw new CaseException("constructor");  // line: constructor.throw
        }
    }

    private static void ConstructorCase()
    {
        try
        {
            _ = new Constructed();              // line: constructor.call
        }
        catch (CaseException)                   // line: constructor.catch
        {
            Seen();
        }
    }

    private static void FinallyCase()
    {
        try
        {
            Finally();                          // line: finally.call
            Seen();
        }
        catch (CaseException)                   // line: finally.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Finally()
    {
        try
        {
            Seen();
        }
        finally
        {
            Seen();
            if (!IsNeverSeen())
            {
                throw new CaseException("finally");  // line: finally.throw
            }
        }
    }

    private static void HandlerCase()
    {
        try
        {
            Handler();                          // line: handler.call
            Seen();
        }
        catch (CaseException)                   // line: handler.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Handler()
    {
        try
        {
            Seen();
            seen_ += int.Parse("none");
        }
        catch (FormatException e)
        {
            seen_ += e.Message.Length;
            throw new CaseException("handler"); // line: handler.throw
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Zero() => IsNeverSeen() ? 1 : 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int[]? Nothing() => IsNeverSeen() ? [] : null;

    private static void DivisionCase()
    {
        try
        {
            seen_ += Divide(4, Zero());         // line: division.call
        }
        catch (DivideByZeroException)           // line: division.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Divide(int a, int b)
    {
        Seen();
        int quotient = a / b;                   // line: division.throw
        Seen();
        return quotient;
    }

    private static void NullCase()
    {
        try
        {
            seen_ += First(Nothing());          // line: null.call
        }
        catch (NullReferenceException)          // line: null.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int First(int[]? numbers)
    {
        Seen();
        int first = numbers![IsNeverSeen() ? 1 : 0];  // line: null.throw
        Seen();
        return first;
    }

    private static async Task AsyncCase()
    {
        try
        {
            await Later();
        }
        catch (CaseException)                   // line: async.catch
        {
            Seen();
        }
    }

    private static async Task Later()
    {
        Seen();
        await Task.Yield();
        Seen();
        throw new CaseException("async");       // line: async.throw
    }

    private static async Task AsyncCallerCase()
    {
        await Task.Yield();
        try
        {
            Seen();
            FromAsync();                        // line: async-caller.call
            Seen();
        }
        catch (CaseException)                   // line: async-caller.catch
        {
            Seen();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FromAsync()
    {
        Seen();
        throw new CaseException("async-caller");  // line: async-caller.throw
    }
}
