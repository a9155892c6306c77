// How a recording ended.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// kBrokeOff: the recording does not say; kUnknown: a reason that this version does not know.
enum class EndReason { kBrokeOff, kProcessExit, kStopped, kDurationOver, kFailed, kCut, kUnknown };

// "broke_off", "process_exit", ...: the same words in JSON and tables.
std::string_view EndName(EndReason end);

}  // namespace hindsight::analyzer
