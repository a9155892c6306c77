// A cache that never evicts: each query has a key of its own, so no entry is ever used again.
using System.Collections.Concurrent;
using Samples;

namespace CacheLeak;

internal static class Program
{
    private const int kQuestions = 30_000;

    private static readonly ConcurrentDictionary<string, Answer> cache_ = new();

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, "CacheLeak " + Stay.Usage);
        for (int i = 0; i < kQuestions; i++) Ask($"/offers?request={i}");
        Stay.UntilTheEnd(arguments, [typeof(Program)]);
    }

    private static Answer Ask(string question)
    {
        if (cache_.TryGetValue(question, out Answer? known)) return known;
        var answer = new Answer(question);
        cache_.TryAdd(question, answer);
        return answer;
    }
}

internal sealed class Answer(string question)
{
    private readonly byte[] body_ = new byte[question.Length * 4];
    private readonly long created_ = Environment.TickCount64;
    public override string ToString() => $"{body_.Length} bytes at {created_}";
}
