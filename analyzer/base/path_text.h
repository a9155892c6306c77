// Names of files as text, in UTF-8, with the separators of the system.
#pragma once

#include <string>

namespace hindsight::analyzer {

// Of a folder, as people and shells complete it: `shop.hindsight/`. The root keeps its own.
std::string WithoutLastSeparators(std::string name);

}  // namespace hindsight::analyzer
