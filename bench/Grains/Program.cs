// An Orleans silo whose grains call each other, and its callers, in one process. Healthy: no two
// grains wait for each other. Exits after --seconds.
using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Orleans.Hosting;
using Samples;

const int kCallers = 16;
const int kOrders = 500;
const int kStocks = 20;
var arguments = new Arguments(args, "Grains [--seconds N]");
using var end = new CancellationTokenSource(TimeSpan.FromSeconds(arguments.Number("seconds", 25)));
HostApplicationBuilder builder = Host.CreateApplicationBuilder();
builder.Logging.ClearProviders();
builder.UseOrleans(silo => silo.UseLocalhostClustering(FreePort(), FreePort()));
using IHost host = builder.Build();
await host.StartAsync();
IGrainFactory grains = host.Services.GetRequiredService<IGrainFactory>();
Console.WriteLine("ready");

int[] placed = await Task.WhenAll(Enumerable.Range(0, kCallers).Select(n => Task.Run(() => Call(n))));
await host.StopAsync();
Console.WriteLine($"{placed.Sum()} orders");

async Task<int> Call(int seed)
{
    var random = new Random(seed);
    int count = 0;
    for (; !end.IsCancellationRequested; ++count)
    {
        await grains.GetGrain<IOrder>(random.Next(kOrders)).Place(random.Next(kStocks));
        await Task.Delay(5);
    }
    return count;
}

static int FreePort()
{
    using var listener = new TcpListener(IPAddress.Loopback, 0);
    listener.Start();
    return ((IPEndPoint)listener.LocalEndpoint).Port;
}

public interface IOrder : IGrainWithIntegerKey
{
    Task<int> Place(int stock);
}

public interface IStock : IGrainWithIntegerKey
{
    Task<int> Take(int count);
}

public class Order : Grain, IOrder
{
    private int placed_;

    public async Task<int> Place(int stock)
    {
        ++placed_;
        return await GrainFactory.GetGrain<IStock>(stock).Take(placed_);
    }
}

public class Stock : Grain, IStock
{
    private int left_ = int.MaxValue;

    public async Task<int> Take(int count)
    {
        await Task.Yield();
        return left_ -= count;
    }
}
