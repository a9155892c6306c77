// File names as text, in UTF-8, with the system's separators.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

// The standard library interprets a path of narrow characters in the system's code page, but
// returns narrow characters in UTF-8 (path.string()); so paths are made here. Invalid UTF-8 stays
// as it is where the system's names are bytes; where they are UTF-16, no file has such a name.
std::filesystem::path PathOf(std::string_view name);

// The name of a folder, as completed by people and shells: `shop.hindsight/`. The root keeps its
// separator.
std::string WithoutLastSeparators(std::string name);

}  // namespace hindsight::analyzer
