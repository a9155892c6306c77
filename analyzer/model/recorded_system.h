// What differs between recordings of different systems.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// Whether CPU samples were taken while their threads were suspended; elsewhere, threads sample
// themselves in a signal handler. `os` is that of the recorded process.
inline bool SamplesSuspend(std::string_view os) { return os.starts_with("Windows"); }

}  // namespace hindsight::analyzer
