using System.Diagnostics;
using System.Runtime.InteropServices;
using Samples;

namespace Surroundings;

/// <summary>Processes that this one starts, in every possible way, from several threads that use
/// CPU time at the same time.</summary>
internal static unsafe class Children
{
    private const int kStarters = 4;

    [DllImport("libc", EntryPoint = "posix_spawn")]
    private static extern int Spawn(int* process, string file, void* actions, void* attributes, nint* arguments,
                                    nint* environment);
    [DllImport("libc", EntryPoint = "waitpid")]
    private static extern int WaitFor(int process, int* status, int options);
    [DllImport("libc", EntryPoint = "system")]
    private static extern int RunShell(string command);

    public static string Start(int each)
    {
        int right = 0;
        List<Thread> starters = Enumerable.Range(0, kStarters).Select(i => new Thread(() =>
        {
            for (int k = 0; k < each; k++)
            {
                Program.Compute(5);
                if (ByProcess() && BySpawn() && ByShell() && Program.Catches()) Interlocked.Increment(ref right);
            }
        }) { Name = $"starter-{i}" }).ToList();
        starters.ForEach(thread => thread.Start());
        starters.ForEach(thread => thread.Join());
        return $"{right} of {kStarters * each} rounds of children ended as they should";
    }

    /// <summary>The class library's way: vfork.</summary>
    private static bool ByProcess()
    {
        var start = new ProcessStartInfo("/bin/sh") { RedirectStandardOutput = true };
        start.ArgumentList.Add("-c");
        start.ArgumentList.Add("echo child; exit 7");
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return output == "child\n" && process.ExitCode == 7;
    }

    private static bool BySpawn()
    {
        nint name = Marshal.StringToCoTaskMemUTF8("true");
        nint* arguments = stackalloc nint[] { name, 0 };
        nint* environment = stackalloc nint[] { 0 };
        int process = 0, status = -1;
        bool ended = Spawn(&process, "/bin/true", null, null, arguments, environment) == 0 &&
                     WaitFor(process, &status, 0) == process && status == 0;
        Marshal.FreeCoTaskMem(name);
        return ended;
    }

    private static bool ByShell() => RunShell("exit 3") == 3 << 8;
}
