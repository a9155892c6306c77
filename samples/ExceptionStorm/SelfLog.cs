using System.Diagnostics;
using System.Text.Json;

namespace ExceptionStorm;

/// <summary>
/// What the runtime itself reports about each throw, counted by type, message and stack: an
/// independent check of truth.json without a recorder.
/// </summary>
internal sealed class SelfLog
{
    private readonly string file_;
    private readonly Dictionary<string, int> counts_ = new();

    [ThreadStatic] private static bool isLogging_;

    public SelfLog(string file)
    {
        file_ = file;
        AppDomain.CurrentDomain.FirstChanceException += (_, e) => Add(e.Exception);
    }

    private void Add(Exception exception)
    {
        if (isLogging_) return;
        isLogging_ = true;
        var frames = new List<string>();
        foreach (StackFrame frame in new StackTrace(2).GetFrames())
        {
            var method = frame.GetMethod();
            frames.Add(method == null ? "?" : $"{method.DeclaringType?.FullName}.{method.Name}");
        }
        string line = JsonSerializer.Serialize(new
        {
            type = exception.GetType().FullName,
            message = exception.Message,
            thread = Thread.CurrentThread.Name,
            frames,
        });
        lock (counts_) counts_[line] = counts_.GetValueOrDefault(line) + 1;
        isLogging_ = false;
    }

    public void Write()
    {
        using var output = new StreamWriter(file_);
        lock (counts_)
        {
            foreach ((string line, int count) in counts_) output.WriteLine($"{{\"count\":{count},\"throw\":{line}}}");
        }
    }
}
