// How a recording ended.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// kBrokeOff: nothing says how; kUnknown: a reason that is not known here.
enum class EndReason { kBrokeOff, kProcessExit, kStopped, kDurationOver, kFailed, kCut, kUnknown };

// "broke_off", "process_exit", ...: the same words in JSON and tables.
std::string_view EndName(EndReason end);

}  // namespace hindsight::analyzer
