using System.Linq.Expressions;
using System.Reflection;
using System.Reflection.Emit;
using System.Text.RegularExpressions;

namespace Unloading;

/// <summary>Code that is generated at run time, used briefly, and dropped.</summary>
internal static class Emitted
{
    // throws, allocates and returns `value` + `seed`
    private static void Write(ILGenerator il, int seed)
    {
        il.BeginExceptionBlock();
        il.Emit(OpCodes.Ldstr, "emitted");
        il.Emit(OpCodes.Newobj, typeof(InvalidOperationException).GetConstructor(new[] { typeof(string) })!);
        il.Emit(OpCodes.Throw);
        il.BeginCatchBlock(typeof(InvalidOperationException));
        il.Emit(OpCodes.Pop);
        il.EndExceptionBlock();
        for (int i = 0; i < 10; i++)
        {
            il.Emit(OpCodes.Ldc_I4, 1000);
            il.Emit(OpCodes.Newarr, typeof(long));
            il.Emit(OpCodes.Pop);
        }
        il.Emit(OpCodes.Ldarg_0);
        il.Emit(OpCodes.Ldc_I4, seed);
        il.Emit(OpCodes.Add);
        il.Emit(OpCodes.Ret);
    }

    public static bool Method(int seed)
    {
        bool right = true;
        for (int i = 0; i < 5; i++)
        {
            var method = new DynamicMethod("Dynamic" + seed, typeof(int), new[] { typeof(int) });
            Write(method.GetILGenerator(), seed + i);
            right &= method.CreateDelegate<Func<int, int>>()(i) == seed + 2 * i;
        }
        return right;
    }

    public static bool Assembly(int seed)
    {
        AssemblyBuilder assembly = AssemblyBuilder.DefineDynamicAssembly(
            new AssemblyName("Emitted" + seed), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = assembly.DefineDynamicModule("Main").DefineType("Emitted.Type" + seed, TypeAttributes.Public);
        FieldBuilder last = type.DefineField("last", typeof(object), FieldAttributes.Public | FieldAttributes.Static);
        MethodBuilder method = type.DefineMethod("Add", MethodAttributes.Public | MethodAttributes.Static,
                                                 typeof(int), new[] { typeof(int) });
        Write(method.GetILGenerator(), seed);
        Type made = type.CreateType()!;
        made.GetField(last.Name)!.SetValue(null, Activator.CreateInstance(typeof(List<>).MakeGenericType(made)));
        return made.GetMethod("Add")!.CreateDelegate<Func<int, int>>()(3) == seed + 3;
    }

    public static bool Expression(int seed)
    {
        ParameterExpression x = System.Linq.Expressions.Expression.Parameter(typeof(int));
        Func<int, string> compiled = System.Linq.Expressions.Expression.Lambda<Func<int, string>>(
            System.Linq.Expressions.Expression.Call(
                System.Linq.Expressions.Expression.Add(x, System.Linq.Expressions.Expression.Constant(seed)),
                typeof(int).GetMethod(nameof(int.ToString), Type.EmptyTypes)!), x).Compile();
        return compiled(7) == (seed + 7).ToString();
    }

    public static bool Pattern(int seed)
    {
        var pattern = new Regex($"^(item|thing)-0*{seed}[a-f]+$", RegexOptions.Compiled);
        return pattern.IsMatch($"thing-00{seed}abc") && !pattern.IsMatch($"thing-{seed}xyz");
    }
}
