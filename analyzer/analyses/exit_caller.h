// Who ended the process.
#pragma once

#include <string>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// "Shop.Watchdog.Check called Environment.Exit"; empty: Main returned, a signal ended the process,
// or it is not known.
std::string ExitCallText(const Model& model);

}  // namespace hindsight::analyzer
