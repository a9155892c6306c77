// Who ended the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// "Shop.Watchdog.Check called Environment.Exit"; empty: Main returned, a signal ended the process,
// or it is not known.
std::string ExitCallText(const Model& model);

// When the process first got SIGTERM, SIGINT or SIGQUIT, if the program handles it, as hosts do. In
// nanoseconds from the recording's start.
std::optional<int64_t> EndSignalNs(const Model& model);

// Whether the recording breaks off because an exception or a fatal error ended the process.
bool HasCrashed(const Model& model);

// Whether the process may still run, and can be told by its number.
bool MayStillRun(const Model* model);

// Whether it is a program that ended when its work was done: it served no requests, and no signal
// or host ended it.
bool EndedByItself(const Model& model);

// Whether the program runs in a host (Microsoft.Extensions.Hosting), which ends at such a signal.
bool HasHost(const Dictionaries& dictionaries);

}  // namespace hindsight::analyzer
