// Destination of exports.
#pragma once

#include <functional>
#include <string_view>

namespace hindsight::analyzer {

// Writes the next bytes of the file; false: they could not be written, and no more will follow.
using ByteSink = std::function<bool(std::string_view)>;

}  // namespace hindsight::analyzer
