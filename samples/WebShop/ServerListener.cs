using System.Diagnostics.Tracing;

namespace WebShop;

/// <summary>Another listener: the server reports the end of each request that began while there was one.</summary>
internal sealed class ServerListener : EventListener
{
    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == "Microsoft.AspNetCore.Hosting")
        {
            EnableEvents(eventSource, EventLevel.Informational);
        }
    }
}
