// A heap of any size, and measurements of the application while snapshots are taken.
using System.Diagnostics;
using Samples;

namespace BigHeap;

internal static class Program
{
    private const string kUsage =
        "BigHeap [--objects N] [--shape regular|irregular] [--list N] [--allocate N] [--rewrite MIB]\n" +
        "        [--processes] [--control] [--end FILE] [--self-log FILE]\n" +
        "  --objects N      so many objects (default 1000000), all of them alive\n" +
        "  --shape SHAPE    regular: all alike, each refers to the one before\n" +
        "                   irregular (default): four classes with 1 to 4 references, mostly to neighbours\n" +
        "  --list N         besides, a singly linked list of N nodes\n" +
        "  --allocate N     besides, N threads that allocate, drop and check what they keep\n" +
        "  --rewrite MIB    besides, so much of arrays, and a thread that writes to them all the time\n" +
        "  --processes      besides, a thread that starts processes and checks what they print\n" +
        "  --control        obeys lines on the standard input: `gap` prints the longest time in ms that a\n" +
        "                   thread which wakes every millisecond did not run since the last `gap`;\n" +
        "                   `collect` collects everything; the end of input ends the program\n" +
        "  --end FILE       stay until FILE exists (otherwise until the standard input ends)\n" +
        "  --self-log FILE  write the graph as reflection sees it, as JSON";

    private static Node[]? all_;
    private static Link? list_;

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        int objects = arguments.Number("objects", 1_000_000);
        all_ = arguments.Text("shape") == "regular" ? Nodes.Regular(objects) : Nodes.Irregular(objects);
        for (int i = arguments.Number("list", 0); i > 0; i--) list_ = new Link { Next = list_ };

        Load? load = null;
        if (arguments.Number("allocate", 0) is > 0 and int threads) (load ??= new Load()).Allocate(threads);
        if (arguments.Number("rewrite", 0) is > 0 and int mebibytes) (load ??= new Load()).Rewrite(mebibytes);
        if (arguments.Has("processes")) (load ??= new Load()).StartProcesses();
        if (arguments.Has("control")) Obey();
        else Stay.UntilTheEnd(arguments, [typeof(Program)]);
        if (load != null) Console.WriteLine(load.End());
        GC.KeepAlive(all_);
    }

    private static void Obey()
    {
        using var ticker = new Ticker();
        GC.Collect();
        Console.WriteLine("ready");
        for (string? line; (line = Console.ReadLine()) != null;)
        {
            switch (line)
            {
                case "gap":
                    Console.WriteLine($"gap {ticker.TakeLargestGap():F3}");
                    break;
                case "collect":
                    GC.Collect();
                    Console.WriteLine("collected");
                    break;
            }
        }
    }
}
