namespace Samples;

/// <summary>
/// The life of a sample about waits: `started`, possibly an attach, the build-up, `ready` once its
/// waits can no longer change by themselves; then it stays until it is told to exit.
/// </summary>
internal static class Scene
{
    public const string Usage =
        "[--go FILE] [--end FILE]\n" +
        "  --go FILE   begin when FILE exists (otherwise at once)\n" +
        "  --end FILE  stay until FILE exists (otherwise until the standard input ends)";

    private static readonly List<Func<string?>> checks_ = new();
    private static bool isMainOver_;

    /// <summary>`check` is called at the end: it returns what went wrong, or null.</summary>
    public static void AtTheEnd(Func<string?> check) => checks_.Add(check);

    /// <summary>The main thread returns once the scene is ready; another thread waits for the
    /// end.</summary>
    public static void EndMainThread() => isMainOver_ = true;

    public static void Play(Arguments arguments, Action build)
    {
        Console.WriteLine("started");
        if (arguments.Text("go") is { } go) Signals.WaitFor(go);
        build();
        Console.WriteLine("ready");
        if (isMainOver_) new Thread(new ThreadStart(WaitAndExit)) { IsBackground = true, Name = "scene" }.Start();
        else Wait();

        void WaitAndExit()
        {
            Wait();
            Environment.Exit(0);
        }

        void Wait()
        {
            if (arguments.Text("end") is { } end) Signals.WaitFor(end);
            else while (Console.ReadLine() != null) { }
            foreach (Func<string?> check in checks_)
            {
                if (check() is { } wrong) Console.WriteLine(wrong);
            }
            Console.WriteLine("done");
        }
    }
}
