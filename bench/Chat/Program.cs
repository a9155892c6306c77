// A SignalR chat and its users in one process: rooms, messages to a room, a stream, users who join
// and leave. Healthy. Exits after --seconds.
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Samples;

const int kPeople = 40;
const int kRooms = 5;
var arguments = new Arguments(args, "Chat [--seconds N]");
TimeSpan time = TimeSpan.FromSeconds(arguments.Number("seconds", 25));
WebApplicationBuilder builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.Services.AddSignalR();
await using WebApplication app = builder.Build();
app.MapHub<Rooms>("/rooms");
await app.StartAsync();
string address = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
Console.WriteLine("ready");

var clock = Stopwatch.StartNew();
int heard = 0;
await Task.WhenAll(Enumerable.Range(0, kPeople).Select(async person =>
{
    while (clock.Elapsed < time) await Visit(person);
}));
Console.WriteLine($"heard {heard}");
await app.StopAsync();

async Task Visit(int person)
{
    await using HubConnection connection = new HubConnectionBuilder().WithUrl(address + "/rooms").Build();
    connection.On<string, string>("Said", (_, _) => Interlocked.Increment(ref heard));
    await connection.StartAsync();
    string room = $"room {person % kRooms}";
    await connection.InvokeAsync("Enter", room);
    for (int turn = 0; turn < 30 && clock.Elapsed < time; turn++)
    {
        await connection.InvokeAsync("Say", room, $"{person} says {turn}");
        if (turn % 10 == 0) await foreach (int _ in connection.StreamAsync<int>("Count", 5)) continue;
        await Task.Delay(100 + person * 3);
    }
}

internal sealed class Rooms : Hub
{
    public Task Enter(string room) => Groups.AddToGroupAsync(Context.ConnectionId, room);
    public Task Say(string room, string text) => Clients.Group(room).SendAsync("Said", Context.ConnectionId, text);

    public async IAsyncEnumerable<int> Count(int to, [EnumeratorCancellation] CancellationToken token)
    {
        for (int i = 0; i < to; i++)
        {
            yield return i;
            await Task.Delay(5, token);
        }
    }
}
