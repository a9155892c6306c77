// Destination of exports.
#pragma once

#include <functional>
#include <string_view>

namespace hindsight::analyzer {

// Takes the next bytes of the file; false: they could not be written, and no more will come.
using ByteSink = std::function<bool(std::string_view)>;

}  // namespace hindsight::analyzer
