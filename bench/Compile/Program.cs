// A C# compiler from a cold start: parses, binds and emits a program of many classes, once. Prints
// `size N`: the size of the assembly in bytes.
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Samples;

var arguments = new Arguments(args, "Compile [--classes N]");
int classes = arguments.Number("classes", 40);

string folder = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
var references = new[] { "System.Private.CoreLib", "System.Runtime", "System.Linq", "System.Collections", "System.Console" }
    .Select(name => MetadataReference.CreateFromFile(Path.Combine(folder, name + ".dll")));
var trees = Enumerable.Range(0, classes).Select(number => CSharpSyntaxTree.ParseText(Source(number)));
var compilation = CSharpCompilation.Create("Generated", trees, references,
    new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, optimizationLevel: OptimizationLevel.Release));
using var image = new MemoryStream();
var result = compilation.Emit(image);
if (!result.Success)
{
    Console.Error.WriteLine(string.Join('\n', result.Diagnostics.Take(5)));
    return 1;
}
Console.WriteLine($"size {image.Length}");
return 0;

static string Source(int number)
{
    var text = new StringBuilder();
    text.Append("using System; using System.Collections.Generic; using System.Linq; using System.Threading.Tasks;\n");
    text.Append($"namespace Generated{number % 10};\npublic class Item{number}(int seed)\n{{\n");
    for (int i = 0; i < 12; i++)
    {
        text.Append($"    public int Count{i} {{ get; set; }} = seed + {i};\n");
        text.Append($"    public IEnumerable<string> Names{i}(List<int> from) => from.Where(x => x % {i + 2} == seed)");
        text.Append($".Select(x => $\"{{x}} of {i}\").OrderBy(name => name.Length).ThenBy(name => name);\n");
        text.Append($"    public async Task<int> Sum{i}(int[] values)\n    {{\n        int sum = 0;\n");
        text.Append($"        foreach (int value in values)\n        {{\n            if (value is > {i} and < 100) sum += value switch {{ 1 => 2, 3 or 4 => 5, _ => value }};\n");
        text.Append($"            else await Task.Yield();\n        }}\n        try {{ return checked(sum * Count{i}); }} catch (OverflowException) {{ return {i}; }}\n    }}\n");
    }
    return text.Append("}\n").ToString();
}
