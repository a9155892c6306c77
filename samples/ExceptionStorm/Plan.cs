using System.Runtime.CompilerServices;

namespace ExceptionStorm;

/// <summary>How often each path is taken, times the scale. truth.json has the same numbers.</summary>
internal static class Plan
{
    private static readonly (int Count, Action Run)[] kSteps =
    [
        (5, Frameless.Run),
        (3, Deep.Run),
        (2, Nested.RunWrap),
        (2, Nested.RunFinallyReplaces),
        (2, Nested.RunThrowingFilter),
        (2, Nested.RunCaughtInFinally),
        (2, Rethrown.RunOnce),
        (2, Rethrown.RunThrice),
        (2, Rethrown.RunAnew),
        (2, Rethrown.RunRestored),
        (3, Asynchronous.RunThreeAwaits),
        (2, Asynchronous.RunWait),
        (2, Asynchronous.RunUnobserved),
        (2, Asynchronous.RunCancelled),
        (2, Shapes.RunGenericClass),
        (2, Shapes.RunGenericMethod),
        (2, Shapes.RunLambda),
        (2, Shapes.RunLocalFunction),
        (2, Shapes.RunIterator),
        (2, Shapes.RunReflected),
        (2, Framework.RunParse),
        (2, Framework.RunMissingKey),
        (2, Framework.RunMissingFile),
        (2, Framework.RunNullReference),
        (2, Framework.RunDivideByZero),
        (2, Framework.RunInvalidCast),
        (2, Framework.RunOutOfRange),
        (1, Crowd.Run),
    ];

    /// <summary>The path to take twice as often, if any.</summary>
    public static string? Twice;

    public static void Run(int scale, bool isFirstRound)
    {
        foreach ((int count, Action run) in kSteps)
        {
            int times = $"{run.Method.DeclaringType!.Name}.{run.Method.Name}" == Twice ? 2 : 1;
            for (int i = 0; i < count * scale * times; i++) run();
        }
        if (isFirstRound) Shapes.RunStaticConstructor();  // runs only once per process
    }
}

/// <summary>
/// Methods that must have frames of their own carry one of these. The JIT inlines small methods and
/// turns a call right before a return into a tail call, so each one also does something after its
/// call.
/// </summary>
internal static class Keep
{
    public const MethodImplOptions Frame = MethodImplOptions.NoInlining;

    /// <summary>Optimized from the first call on: no frame pointer where none is needed.</summary>
    public const MethodImplOptions Optimized =
        MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization;
}
