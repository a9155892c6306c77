namespace Samples;

/// <summary>Lets a test and a sample wait for each other: by files that appear. Throws
/// nothing.</summary>
internal static class Signals
{
    public static void WaitFor(string file)
    {
        while (!File.Exists(file)) Thread.Sleep(5);
    }

    /// <summary>Makes `file` appear with its complete content at once.</summary>
    public static void Raise(string file, string content = "")
    {
        File.WriteAllText(file + ".part", content);
        File.Move(file + ".part", file, overwrite: true);
    }
}
