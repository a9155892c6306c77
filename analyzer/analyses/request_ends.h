// Exceptions that end a request: the application did not handle them, and the server's last resort
// turned them into a response, or closed the connection.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

// By a handler's raw type: the code of ASP.NET Core 8 to 10 and of gRPC that catches what came
// through the whole pipeline. Does not show what clients received.
bool EndsRequests(std::string_view handler_type);

// The methods of yours that the server's pipeline called: in a controller, or another route's
// handler. The one with the most exceptions first. Taken from the hops of `finding`, or from its
// path. Empty: unknown.
std::vector<MethodId> RouteHandlersOf(const Model& model, const ExceptionFinding& finding,
                                      Places& places);
// "Shop.Orders.Pay and Shop.Orders.Poll"; empty: unknown.
std::string RouteHandlerNames(const MethodNames& names, const ExceptionFinding& finding);

// Among exceptions that end requests, those that are not a failure of this process: the client went
// away, or sent nonsense.
bool IsClientsDoing(std::string_view type);

// Likewise, also by what threw it: the server's own code, because the client ended its connection,
// stream or call.
bool IsFailureOfClient(const Dictionaries& dictionaries, std::string_view type,
                       std::span<const MethodId> path);

// Whether it is a cancellation of a call to another server: clients that went away cancel it, but
// so do timeouts.
bool IsCanceledCall(const Dictionaries& dictionaries, std::string_view type,
                    std::span<const MethodId> path);

// An exception that reports a cancellation, and is not an error.
bool IsCancellation(std::string_view type);

// One that reports that something took too long, by its class's name.
bool IsTimeout(std::string_view type);

}  // namespace hindsight::analyzer
