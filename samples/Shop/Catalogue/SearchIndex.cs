using Shop.Data;
using Shop.Running;

namespace Shop.Catalogue;

internal sealed record Hit(int Product, string Name, int Score);

/// <summary>Finds products by words.</summary>
internal sealed class SearchIndex
{
    private const int kHits = 20;

    private Dictionary<string, int[]> byWord_ = [];
    private IReadOnlyList<Product> products_ = [];
    private Dictionary<int, string> names_ = [];

    public void Load(IReadOnlyList<Product> products)
    {
        products_ = products;
        names_ = products.ToDictionary(product => product.Id, product => product.Name);
        byWord_ = products.SelectMany(product => product.Name.Split(' ').Select(word => (word, product.Id)))
            .GroupBy(pair => pair.word).ToDictionary(group => group.Key, group => group.Select(pair => pair.Id).Distinct().ToArray());
    }

    public IReadOnlyList<Hit> Find(string[] words) =>
        WithWords(words, Quirks.On("hot-linq") ? Compare : LookUp).Where(hit => Markup.IsTidy(hit.Name)).Take(kHits).ToList();

    private static IEnumerable<Hit> WithWords(string[] words, Func<string[], IEnumerable<Hit>> find) =>
        words.Length == 0 ? [] : find(words);

    private IEnumerable<Hit> LookUp(string[] words) =>
        words.SelectMany(word => byWord_.GetValueOrDefault(word, [])).GroupBy(id => id)
            .Select(group => new Hit(group.Key, names_[group.Key], group.Count()))
            .OrderByDescending(hit => hit.Score).ThenBy(hit => hit.Product).Take(kHits);

    private IEnumerable<Hit> Compare(string[] words) =>
        products_.Select(product => new Hit(product.Id, product.Name, Score(product, words)))
            .Where(hit => hit.Score > 0).OrderByDescending(hit => hit.Score).ThenBy(hit => hit.Product);

    private static int Score(Product product, string[] words) =>
        words.Sum(word => product.Description.Split(' ').Select(part => part.Trim(',', '.').ToLowerInvariant())
            .Where(part => part.Length > 2).Distinct().OrderBy(part => part, StringComparer.Ordinal)
            .Count(part => part.Contains(word, StringComparison.OrdinalIgnoreCase)));
}
