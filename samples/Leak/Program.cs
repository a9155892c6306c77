// Completed orders stay in a static list: the simplest leak.
using Samples;

namespace Leak;

internal static class Program
{
    private const string kUsage =
        "Leak [--orders N] " + Stay.Usage + "\n" +
        "  --orders N       how many are done (default 20000)";
    private const int kLinesOfAnOrder = 3;
    private const int kCustomers = 100;

    private static readonly Dictionary<int, Customer> customers_ = new();
    private static readonly List<Order> done_ = new();

    public static void Main(string[] args)
    {
        var arguments = new Arguments(args, kUsage);
        int orders = arguments.Number("orders", 20_000);
        for (int i = 0; i < kCustomers; i++) customers_.Add(i, new Customer(i));
        for (int i = 0; i < orders; i++) Process(new Order(customers_[i % kCustomers], kLinesOfAnOrder));
        Stay.UntilTheEnd(arguments, [typeof(Program)]);
    }

    private static void Process(Order order) => done_.Add(order);  // nobody ever removes it
}

internal sealed class Customer(int number)
{
    private readonly string name_ = "customer " + number;
    public override string ToString() => name_;
}

internal sealed class Order
{
    private readonly Customer customer_;
    private readonly Line[] lines_;

    public Order(Customer customer, int lines)
    {
        customer_ = customer;
        lines_ = new Line[lines];
        for (int i = 0; i < lines; i++) lines_[i] = new Line(i, i * 100m);
    }

    public override string ToString() => $"{customer_}: {lines_.Length}";
}

internal sealed class Line(int article, decimal price)
{
    public decimal Price => price * (article + 1);
}
