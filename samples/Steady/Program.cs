// A healthy service: a work queue with consumers, timers, async work, briefly held locks. It throws
// nothing, waits for nothing for long and keeps nothing alive: a report must find nothing.
using System.Runtime.InteropServices;
using System.Threading.Channels;
using Samples;

namespace Steady;

internal static class Program
{
    private const string kUsage =
        "Steady [--seconds N] [--end FILE]   until the time is over (default 5), FILE exists, or SIGTERM";

    private static readonly object lock_ = new();
    private static readonly Dictionary<int, long> totals_ = new();
    private static long ticks_;
    private static volatile bool isOver_;

    private static async Task Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        string? end = arguments.Text("end");
        DateTime over = DateTime.UtcNow.AddSeconds(arguments.Number("seconds", end == null ? 5 : 86400));

        // The first process of a container has no default action for it.
        using var stop = PosixSignalRegistration.Create(PosixSignal.SIGTERM, context =>
        {
            context.Cancel = true;
            isOver_ = true;
        });
        var queue = Channel.CreateBounded<int>(256);
        var consumers = new Task<long>[3];
        for (int i = 0; i < consumers.Length; i++) consumers[i] = Task.Run(() => Consume(queue.Reader));
        using var timer = new Timer(_ => Interlocked.Increment(ref ticks_), null, 10, 10);

        Console.WriteLine("ready");
        long produced = 0;
        for (; !isOver_ && DateTime.UtcNow < over && !(end != null && File.Exists(end)); produced++)
        {
            await queue.Writer.WriteAsync((int)(produced % 1000));
            if (produced % 64 == 0) await Task.Delay(1);
        }
        queue.Writer.Complete();

        long consumed = 0;
        foreach (Task<long> consumer in consumers) consumed += await consumer;
        Console.WriteLine(produced == consumed ? "done" : $"lost {produced - consumed} items");
    }

    private static async Task<long> Consume(ChannelReader<int> reader)
    {
        long count = 0;
        while (await reader.WaitToReadAsync())
        {
            while (reader.TryRead(out int item))
            {
                long result = await Work(item);
                lock (lock_) totals_[item % 16] = totals_.GetValueOrDefault(item % 16) + result;
                count++;
            }
        }
        return count;
    }

    private static async ValueTask<long> Work(int item)
    {
        if (item % 100 == 0) await Task.Yield();
        long sum = 0;
        foreach (int number in Enumerable.Range(0, item)) sum += number;
        return sum;
    }
}
