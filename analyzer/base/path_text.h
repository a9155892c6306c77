// Names of files as text, in UTF-8, with the separators of the system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

// The library takes a path from narrow characters for one in the system's code page, and gives
// narrow characters in UTF-8 (path.string()): so paths are made here. Bytes that are no UTF-8 stay
// as they are where the system's names are bytes; where they are UTF-16, no file has such a name.
std::filesystem::path PathOf(std::string_view name);

// Of a folder, as people and shells complete it: `shop.hindsight/`. The root keeps its own.
std::string WithoutLastSeparators(std::string name);

}  // namespace hindsight::analyzer
