// An MQTT broker (MQTTnet) and its clients in one process: each publishes to a topic and hears all
// that is published there. Healthy. Exits after --seconds.
using System.Net;
using System.Net.Sockets;
using MQTTnet;
using MQTTnet.Protocol;
using MQTTnet.Server;
using Samples;

const int kClients = 40;
const int kTopics = 5;
var arguments = new Arguments(args, "Broker [--seconds N]");
TimeSpan time = TimeSpan.FromSeconds(arguments.Number("seconds", 25));
int port = FreePort();
MqttServer server = new MqttServerFactory().CreateMqttServer(
    new MqttServerOptionsBuilder().WithDefaultEndpoint().WithDefaultEndpointPort(port).Build());
await server.StartAsync();
using var end = new CancellationTokenSource(time);
Console.WriteLine("ready");

int heard = 0;
await Task.WhenAll(Enumerable.Range(0, kClients).Select(n => Task.Run(() => Talk(n))));
await server.StopAsync();
Console.WriteLine($"{heard} messages");

async Task Talk(int number)
{
    string topic = "room/" + number % kTopics;
    using IMqttClient client = new MqttClientFactory().CreateMqttClient();
    client.ApplicationMessageReceivedAsync += _ =>
    {
        Interlocked.Increment(ref heard);
        return Task.CompletedTask;
    };
    await client.ConnectAsync(new MqttClientOptionsBuilder()
        .WithTcpServer("127.0.0.1", port).WithClientId("client" + number).Build());
    await client.SubscribeAsync(topic);
    for (int i = 0; !end.IsCancellationRequested; ++i)
    {
        await client.PublishAsync(new MqttApplicationMessageBuilder()
            .WithTopic(topic).WithPayload($"message {i} of {number}")
            .WithQualityOfServiceLevel(MqttQualityOfServiceLevel.AtLeastOnce).Build());
        await Task.Delay(20);
    }
    await client.DisconnectAsync();
}

static int FreePort()
{
    using var listener = new TcpListener(IPAddress.Loopback, 0);
    listener.Start();
    return ((IPEndPoint)listener.LocalEndpoint).Port;
}
