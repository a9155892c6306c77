// The names in an open folder.
#pragma once

#include <functional>
#include <string_view>

namespace hindsight::trigger {

// Calls `visit` with each name, until it returns false. False if the folder cannot be read: errno
// says why.
bool ForEachName(int folder, const std::function<bool(std::string_view name)>& visit);

}  // namespace hindsight::trigger
