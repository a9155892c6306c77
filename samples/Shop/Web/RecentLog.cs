using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Shop.Web;

/// <summary>Keeps the most recent log lines.</summary>
internal sealed class RecentLog : ILoggerProvider
{
    private const int kLines = 200;

    private readonly ConcurrentQueue<string> lines_ = new();

    public ILogger CreateLogger(string category) => new Category(this, category);

    public void Dispose() { }

    private void Add(string line)
    {
        lines_.Enqueue(line);
        while (lines_.Count > kLines) lines_.TryDequeue(out _);
    }

    private sealed class Category(RecentLog log, string name) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;
        public bool IsEnabled(LogLevel level) =>
            level >= LogLevel.Warning || (level >= LogLevel.Information && name.StartsWith("Shop", StringComparison.Ordinal));

        public void Log<TState>(LogLevel level, EventId id, TState state, Exception? error, Func<TState, Exception?, string> format)
        {
            if (IsEnabled(level)) log.Add($"{DateTime.UtcNow:O} {level} {name}: {format(state, error)}");
        }
    }
}
