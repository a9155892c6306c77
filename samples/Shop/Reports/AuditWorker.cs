using System.Text.Json;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Shop.Running;

namespace Shop.Reports;

internal sealed record AuditEntry(DateTime At, long Bytes, int Collections, byte[] State);

/// <summary>Records the state of the process, and logs a line from time to time.</summary>
internal sealed class AuditWorker(ILogger<AuditWorker> log) : BackgroundService
{
    private const int kEntries = 20;

    protected override async Task ExecuteAsync(CancellationToken token)
    {
        var entries = new List<AuditEntry>();
        using var clock = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        while (await clock.WaitForNextTickAsync(token))
        {
            bool often = Quirks.On("list-async");
            for (int i = 0; i < (often ? 10 : 1); i++) entries.Add(Look());
            if (entries.Count < kEntries || often) continue;
            log.LogInformation("{Entries}", JsonSerializer.Serialize(entries.Select(entry => new { entry.At, entry.Bytes })));
            entries.Clear();
        }
    }

    private static AuditEntry Look() => new(DateTime.UtcNow, GC.GetTotalMemory(false), GC.CollectionCount(0), new byte[3000]);
}
