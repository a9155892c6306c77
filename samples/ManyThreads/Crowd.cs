namespace ManyThreads;

/// <summary>Threads that do the same at the same time.</summary>
internal static class Crowd
{
    /// <summary>They are called NAME-0, NAME-1, ...; returns once all have ended.</summary>
    public static void Run(int threads, string name, Action body)
    {
        List<Thread> all = Enumerable.Range(0, threads)
            .Select(i => new Thread(() => body()) { Name = $"{name}-{i}" }).ToList();
        all.ForEach(thread => thread.Start());
        all.ForEach(thread => thread.Join());
    }
}
