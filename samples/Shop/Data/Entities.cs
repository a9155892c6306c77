namespace Shop.Data;

internal sealed class Product
{
    public int Id { get; set; }
    public string Name { get; set; } = "";
    public string Description { get; set; } = "";
    public int Cents { get; set; }
    public int Pieces { get; set; }
}

internal sealed class Order
{
    public int Id { get; set; }
    public int Customer { get; set; }
    public OrderState State { get; set; }
    public DateTime Placed { get; set; }
    public List<OrderLine> Lines { get; set; } = [];
}

internal enum OrderState
{
    Placed,
    Confirmed,
    Shipped,
}

internal sealed class OrderLine
{
    public int Id { get; set; }
    public int OrderId { get; set; }
    public int Product { get; set; }
    public int Pieces { get; set; }
}

internal sealed class Payment
{
    public int Id { get; set; }
    public int Order { get; set; }
    public int Cents { get; set; }
}
