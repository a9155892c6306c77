namespace Shop.Orders;

/// <summary>An order that the shop does not accept. The message is shown to the customer.</summary>
internal sealed class OrderRefusedException(string reason) : Exception(reason);
