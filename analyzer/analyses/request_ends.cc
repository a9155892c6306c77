#include "analyzer/analyses/request_ends.h"

#include <algorithm>
#include <iterator>

#include "analyzer/base/name_list.h"
#include "analyzer/base/prefixes.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kLastResorts[] = {
    "Microsoft.AspNetCore.Diagnostics.DeveloperExceptionPageMiddleware",
    "Microsoft.AspNetCore.Diagnostics.ExceptionHandlerMiddleware",
    "Microsoft.AspNetCore.Server.HttpSys.",
    "Microsoft.AspNetCore.Server.IIS.Core.IISHttpContext",
    "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol",
    "Grpc.AspNetCore.Server.Internal.",
};

constexpr std::string_view kClientErrors[] = {
    "Microsoft.AspNetCore.Connections.ConnectionAbortedException",
    "Microsoft.AspNetCore.Connections.ConnectionResetException",
    "Microsoft.AspNetCore.Http.BadHttpRequestException",
    "Microsoft.AspNetCore.Server.Kestrel.Core.BadHttpRequestException",
};

// Depends on what threw it: the server's own code throws if the client ended its connection or
// stream during a read or write. Other I/O is yours. gRPC's writer throws InvalidOperationException
// for a call that has ended.
bool IsBrokenConnection(const Dictionaries& dictionaries, std::string_view type,
                        std::span<const MethodId> path) {
  std::string_view server;
  if (type == "System.IO.IOException" || type == "System.Net.WebSockets.WebSocketException") {
    server = "Microsoft.AspNetCore.Server.";
  } else if (type == "System.InvalidOperationException") {
    server = "Grpc.AspNetCore.Server.Internal.HttpContextStreamWriter";
  }
  if (server.empty()) return false;
  for (const MethodId method : path) {  // innermost first
    if (method == 0 || dictionaries.method(method).is_native) continue;
    const TypeId thrower = dictionaries.method(method).type;
    const std::string_view name = dictionaries.String(dictionaries.type(thrower).name);
    if (!name.starts_with("System.")) return name.starts_with(server);
  }
  return false;
}

bool IsOutside(MethodId handler, MethodId method, Places& places) {
  return handler != 0 && method != 0 && places.IsPipeline(method);
}

// The path out of async methods is shown by where each rethrows; the first stack contains only as
// much of it as ran without waiting.
MethodId HandlerOn(const Route& route, Places& places) {
  MethodId handler = 0;
  for (const RouteHop& hop : route.hops) {
    if (IsOutside(handler, hop.thrower, places)) break;
    if (hop.hop != Hop::kNone && hop.thrower != 0 && places.kinds().IsYours(hop.thrower)) {
      handler = hop.thrower;
    }
    if (IsOutside(handler, hop.catcher, places)) break;
  }
  return handler;
}

MethodId HandlerOnStack(const Model& model, std::span<const MethodId> path, Places& places) {
  MethodId handler = 0;
  // Beyond the method that resumed, frames have only completed what it awaited.
  for (const MethodId method : places.BeforeResume(path)) {
    if (IsOutside(handler, method, places)) break;
    if (method == 0 || model.dictionaries.method(method).is_plumbing) continue;
    if (places.kinds().IsYours(method)) handler = method;
  }
  return handler;
}

}  // namespace

bool EndsRequests(std::string_view handler_type) {
  return StartsWithAny(handler_type, kLastResorts);
}

std::vector<MethodId> RouteHandlersOf(const Model& model, const ExceptionFinding& finding,
                                      Places& places) {
  std::vector<MethodId> handlers;
  for (const Route& route : finding.routes) {
    // Less frequent ones may end elsewhere.
    const bool is_first = &route == &finding.routes.front();
    const MethodId last = route.hops.empty() ? 0 : route.hops.back().catcher;
    if (!is_first && (last == 0 || !places.IsPipeline(last))) continue;
    const MethodId handler = HandlerOn(route, places);
    if (handler != 0 && std::ranges::find(handlers, handler) == handlers.end()) {
      handlers.push_back(handler);
    }
  }
  if (handlers.empty()) {
    const MethodId handler = HandlerOnStack(model, finding.path, places);
    if (handler != 0) handlers.push_back(handler);
  }
  return handlers;
}

std::string RouteHandlerNames(const MethodNames& names, const ExceptionFinding& finding) {
  std::vector<std::string> handlers;
  for (const MethodId method : finding.request_handlers) handlers.push_back(names.Display(method));
  return handlers.empty() ? std::string() : MethodList(handlers);
}

bool IsClientsDoing(std::string_view type) {
  return IsCancellation(type) || std::find(std::begin(kClientErrors), std::end(kClientErrors),
                                           type) != std::end(kClientErrors);
}

bool IsFailureOfClient(const Dictionaries& dictionaries, std::string_view type,
                       std::span<const MethodId> path) {
  return IsClientsDoing(type) || IsBrokenConnection(dictionaries, type, path);
}

bool IsCanceledCall(const Dictionaries& dictionaries, std::string_view type,
                    std::span<const MethodId> path) {
  if (!IsCancellation(type)) return false;
  return std::ranges::any_of(path, [&](MethodId method) {
    if (method == 0) return false;
    const TypeId thrower = dictionaries.method(method).type;
    return dictionaries.String(dictionaries.type(thrower).name)
        .starts_with("System.Net.Http.HttpClient");
  });
}

bool IsCancellation(std::string_view type) {
  return type == "System.OperationCanceledException" ||
         type == "System.Threading.Tasks.TaskCanceledException";
}

bool IsTimeout(std::string_view type) {
  const std::string_view name = type.substr(type.find_last_of(".+") + 1);
  return name.find("Timeout") != name.npos || name.find("TimedOut") != name.npos;
}

}  // namespace hindsight::analyzer
