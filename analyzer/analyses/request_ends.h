// Exceptions that end a request: nothing of the application's handled them, and the server's last
// resort turned them into an answer, or cut the connection.
#pragma once

#include <span>
#include <string_view>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

// By a handler's type, raw: the code of ASP.NET Core 8 to 10 and of gRPC that catches what came
// through the whole pipeline. It does not show what clients got.
bool EndsRequests(std::string_view handler_type);

// The method of yours that the server's pipeline called: of a controller or another route's
// handler. By the first hops of `finding`, or its path. 0: unknown.
MethodId RouteHandlerOf(const Model& model, const ExceptionFinding& finding, Places& places);

// Of exceptions that end requests, those that report no failure here: the client went away, or
// asked nonsense.
bool IsClientsDoing(std::string_view type);

// The same by who threw it: the server's own code does where the client has ended its connection,
// or its stream, while something read from it or wrote to it. Other input and output is yours.
bool IsBrokenConnection(const Dictionaries& dictionaries, std::string_view type,
                        std::span<const MethodId> path);

// An exception that says that work was cancelled, and is no error.
bool IsCancellation(std::string_view type);

}  // namespace hindsight::analyzer
