// Things that happen on marked lines, so that a test can check the line that a report gives. A mark is
// a comment at the end of a line, `line: NAME`; line numbers are written neither here nor in the test.
using Samples;

namespace Lines;

internal static class Program
{
    private const string kUsage =
        "Lines [--throws N] [--allocations N] [--burn MS] [--end FILE]\n" +
        "  --throws N       each throw N times\n" +
        "  --allocations N  N times a megabyte at each place\n" +
        "  --burn MS        so much CPU time in methods with a hot line each\n" +
        "  --end FILE       stay until FILE exists";

    private static async Task Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        for (int i = 0; i < arguments.Number("throws", 0); i++) await Throws.All();
        Allocations.Run(arguments.Number("allocations", 0));
        Burning.Run(arguments.Number("burn", 0));
        Console.WriteLine("done");
        if (arguments.Text("end") is { } end) Signals.WaitFor(end);
    }
}
