namespace Shop.Orders;

/// <summary>An order that the shop does not take. Its message is for the customer.</summary>
internal sealed class OrderRefusedException(string reason) : Exception(reason);
