// Collections of every generation and reason, and what the runtime itself reports about them
// afterwards: how many, the total pause time, and the sizes at the last one of each kind.
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using Samples;

namespace GcPressure;

internal static class Program
{
    private const string kUsage =
        "GcPressure [--induced N] [--churn MB] [--pinned N] [--self-log FILE]\n" +
        "  --induced N      collections asked for, of each generation and kind (default 5)\n" +
        "  --churn MB       megabytes of short-lived objects, and half as many large ones (default 256)\n" +
        "  --pinned N       objects that handles pin (default 20)\n" +
        "  --self-log FILE  what the runtime says, as JSON\n";

    private static readonly Queue<byte[]> young_ = new();
    private static readonly List<byte[]> old_ = new();

    private static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage + Scene.Usage);
        Scene.Play(arguments, () =>
        {
            Said first = Said.Now();
            var handles = new List<GCHandle>();
            for (int i = 0; i < arguments.Number("pinned", 20); i++)
            {
                handles.Add(GCHandle.Alloc(new byte[100], GCHandleType.Pinned));
            }
            int induced = arguments.Number("induced", 5);
            for (int i = 0; i < induced; i++) GC.Collect(0, GCCollectionMode.Forced, blocking: true);
            for (int i = 0; i < induced; i++) GC.Collect(1, GCCollectionMode.Forced, blocking: true);
            for (int i = 0; i < induced; i++) GC.Collect(2, GCCollectionMode.Forced, blocking: true);
            Churn(arguments.Number("churn", 256));
            for (int i = 0; i < induced; i++)
            {
                Background();
            }
            // So that the last one is of a known kind, and none follows.
            GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
            Said last = Said.Now();
            if (arguments.Text("self-log") is { } log) Signals.Raise(log, Said.Json(first, last, 4 * induced + 1));
            handles.ForEach(handle => handle.Free());
        });
    }

    // Generation 0 all the time; objects that live for a while also cause collections of
    // generations 1 and 2.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Churn(int megabytes)
    {
        for (int i = 0; i < megabytes; i++)
        {
            for (int k = 0; k < 1000; k++)
            {
                young_.Enqueue(new byte[976]);
                if (young_.Count > 4000) young_.Dequeue();
            }
            if (i % 8 == 0) old_.Add(new byte[100_000]);
            if (i % 2 == 0) _ = new byte[1_000_000];
        }
    }

    // Complete, or refused by the runtime, which then reports nothing.
    private static void Background()
    {
        long index = GC.GetGCMemoryInfo(GCKind.Background).Index;
        GC.Collect(2, GCCollectionMode.Forced, blocking: false);
        for (int i = 0; i < 200 && GC.GetGCMemoryInfo(GCKind.Background).Index == index; i++) Thread.Sleep(1);
    }

    private sealed record Said(long Index, int[] Counts, double PauseMs, GCMemoryInfo Memory)
    {
        public static Said Now() => new(
            GC.GetGCMemoryInfo(GCKind.Any).Index,
            new[] { GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2) },
            GC.GetTotalPauseDuration().TotalMilliseconds,
            GC.GetGCMemoryInfo(GCKind.FullBlocking));

        public static string Json(Said first, Said last, int induced)
        {
            var generations = new List<object>();
            foreach (GCGenerationInfo info in last.Memory.GenerationInfo)
            {
                generations.Add(new
                {
                    before = info.SizeBeforeBytes,
                    after = info.SizeAfterBytes,
                    free_before = info.FragmentationBeforeBytes,
                    free_after = info.FragmentationAfterBytes,
                });
            }
            return JsonSerializer.Serialize(new
            {
                first_index = first.Index,
                last_index = last.Index,
                counts = last.Counts.Zip(first.Counts, (after, before) => after - before),
                pause_ms = last.PauseMs - first.PauseMs,
                induced,
                full_index = last.Memory.Index,
                compacted = last.Memory.Compacted,
                pinned = last.Memory.PinnedObjectsCount,
                promoted = last.Memory.PromotedBytes,
                committed = last.Memory.TotalCommittedBytes,
                generations,
                jit_methods = JitInfo.GetCompiledMethodCount(),
                jit_il_bytes = JitInfo.GetCompiledILBytes(),
                jit_ms = JitInfo.GetCompilationTime().TotalMilliseconds,
            });
        }
    }
}
