// The part of `hindsight diff` about requests by route and by server.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/comparison/route_changes.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// Appends both tables with at most `top` rows each (0: all); omits empty ones.
void AppendRoutes(std::string& out, const TextStyle& style, const RouteChanges& routes, size_t top);

}  // namespace hindsight::analyzer
