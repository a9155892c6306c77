namespace Samples;

/// <summary>
/// The second half of a sample about heaps: what it built stays unchanged while snapshots are
/// taken.
/// </summary>
internal static class Stay
{
    public const string Usage =
        "[--end FILE] [--self-log FILE]\n" +
        "  --end FILE       stay until FILE exists (otherwise until the standard input ends)\n" +
        "  --self-log FILE  write the graph as reflection sees it, as JSON";

    /// <summary>
    /// Prints `ready`, waits for the end and prints `done`. `statics` are the types whose static
    /// fields lead to what was built; `more` are objects that are held otherwise.
    /// </summary>
    public static void UntilTheEnd(Arguments arguments, Type[] statics, params object[] more)
    {
        if (arguments.Text("self-log") is { } log) GraphLog.Write(log, statics, more);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        Console.WriteLine("ready");
        if (arguments.Text("end") is { } end) Signals.WaitFor(end);
        else while (Console.ReadLine() != null) { }
        Console.WriteLine("done");
    }
}
