using System.Text.RegularExpressions;
using Shop.Running;

namespace Shop.Catalogue;

/// <summary>Descriptions without their tags.</summary>
internal static class Markup
{
    private static readonly Regex kTag = new("<[^<>]*>", RegexOptions.Compiled | RegexOptions.CultureInvariant);
    // The same, and commas at the end of a line; written in a hurry.
    private static readonly Regex kTidy = new(@"^(([a-z0-9.]+\s?)+[,;]?)+$", RegexOptions.CultureInvariant);

    public static string Clean(string text) => Apply(text, Plain);

    public static bool IsTidy(string text) => Apply(text, static words => Quirks.On("hot-regex") ? Matches(words) : words.Length > 0);

    private static TResult Apply<TResult>(string text, Func<string, TResult> step) => step(text);

    private static string Plain(string text) => kTag.Replace(text, "");

    private static bool Matches(string words)
    {
        string sample = words.Length > 15 ? words[..15] : words;
        return kTidy.IsMatch(sample + "!");
    }
}
