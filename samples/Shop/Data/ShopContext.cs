using Microsoft.EntityFrameworkCore;

namespace Shop.Data;

internal sealed class ShopContext(DbContextOptions<ShopContext> options) : DbContext(options)
{
    public DbSet<Product> Products => Set<Product>();
    public DbSet<Order> Orders => Set<Order>();
    public DbSet<OrderLine> Lines => Set<OrderLine>();
    public DbSet<Payment> Payments => Set<Payment>();

    protected override void OnModelCreating(ModelBuilder model)
    {
        model.Entity<Order>().HasIndex(order => order.Customer);
        model.Entity<Order>().HasMany(order => order.Lines).WithOne().HasForeignKey(line => line.OrderId)
            .OnDelete(DeleteBehavior.Cascade);
        model.Entity<Payment>().HasIndex(payment => payment.Order);
    }
}
