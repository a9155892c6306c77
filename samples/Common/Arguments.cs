namespace Samples;

/// <summary>The options of a sample: flags and `--name value` pairs.</summary>
internal sealed class Arguments
{
    private readonly Dictionary<string, string?> values_ = new();

    public Arguments(string[] args, string usage)
    {
        for (int i = 0; i < args.Length; i++)
        {
            if (!args[i].StartsWith("--") || !usage.Contains(args[i]))
            {
                Console.Error.WriteLine($"{args[i]}: not an option. Usage: {usage}");
                Environment.Exit(64);
            }
            bool hasValue = i + 1 < args.Length && !args[i + 1].StartsWith("--");
            values_[args[i][2..]] = hasValue ? args[++i] : null;
        }
    }

    public bool Has(string name) => values_.ContainsKey(name);
    public string? Text(string name) => values_.GetValueOrDefault(name);

    public int Number(string name, int otherwise)
    {
        if (!values_.TryGetValue(name, out string? text)) return otherwise;
        if (int.TryParse(text, out int number) && number >= 0) return number;
        Console.Error.WriteLine($"--{name}: a number is missing");
        Environment.Exit(64);
        return 0;
    }
}
