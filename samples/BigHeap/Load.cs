using System.Diagnostics;

namespace BigHeap;

/// <summary>Work that checks itself while the heap is in use: its data must remain as
/// written.</summary>
internal sealed class Load
{
    private const int kKept = 512;

    private readonly List<Thread> threads_ = new();
    private volatile bool isOver_;
    private long checked_;
    private long broken_;

    public void Allocate(int threads)
    {
        for (int i = 0; i < threads; i++) Start($"allocator-{i}", i + 1, Churn);
    }

    public void Rewrite(int mebibytes)
    {
        var blocks = new byte[mebibytes * 16][];
        for (int i = 0; i < blocks.Length; i++) blocks[i] = new byte[64 << 10];
        Start("rewriter", 0, _ => WriteAgain(blocks));
    }

    public void StartProcesses() => Start("starter", 0, RunProcesses);

    /// <summary>Ends the work and returns `load: N checked, N broken`.</summary>
    public string End()
    {
        isOver_ = true;
        foreach (Thread thread in threads_) thread.Join();
        return $"load: {checked_} checked, {broken_} broken";
    }

    private void Start(string name, int seed, Action<int> work)
    {
        var thread = new Thread(() => work(seed)) { IsBackground = true, Name = name };
        thread.Start();
        threads_.Add(thread);
    }

    private sealed class Block(int seed)
    {
        private readonly long[] words_ = Fill(new long[4 + seed % 61], seed);
        private readonly string text_ = seed.ToString();
        private readonly object boxed_ = seed;

        public Block? Before;

        public bool IsAsWritten
        {
            get
            {
                for (int i = 0; i < words_.Length; i++) if (words_[i] != seed * 31L + i) return false;
                return text_ == seed.ToString() && (int)boxed_ == seed && words_.Length == 4 + seed % 61;
            }
        }

        private static long[] Fill(long[] words, int seed)
        {
            for (int i = 0; i < words.Length; i++) words[i] = seed * 31L + i;
            return words;
        }
    }

    // One byte of each page is enough to have the page copied.
    private void WriteAgain(byte[][] blocks)
    {
        for (byte round = 1; !isOver_; round++)
        {
            foreach (byte[] block in blocks)
            {
                Check(block[0] == (byte)(round - 1));
                for (int i = 0; i < block.Length; i += 4096) block[i] = round;
            }
        }
    }

    private void Churn(int seed)
    {
        var kept = new Block?[kKept];
        for (uint round = 0; !isOver_; round++)
        {
            seed = (int)((uint)seed * 1664525u + 1013904223u) & 0x3fffffff;
            ref Block? place = ref kept[(seed >> 8) % kKept];
            if (place != null) Check(place.IsAsWritten && place.Before?.IsAsWritten != false);
            place = new Block(seed) { Before = kept[(seed >> 18) % kKept] };
            if (place.Before is { } before) before.Before = null;  // chains stay short
        }
    }

    private void RunProcesses(int _)
    {
        for (int i = 0; !isOver_; i++)
        {
            var start = new ProcessStartInfo("/bin/sh") { RedirectStandardOutput = true };
            start.ArgumentList.Add("-c");
            start.ArgumentList.Add($"echo {i}; exit {i % 7}");
            using Process process = Process.Start(start)!;
            using StreamReader output = process.StandardOutput;  // the process leaves its end of the pipe to a finalizer
            string printed = output.ReadToEnd();
            process.WaitForExit();
            Check(printed == i + "\n" && process.ExitCode == i % 7);
        }
    }

    private void Check(bool isRight)
    {
        Interlocked.Increment(ref checked_);
        if (!isRight) Interlocked.Increment(ref broken_);
    }
}
