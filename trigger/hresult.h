// The meaning of the runtime's HRESULTs, and what to do about each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trigger/exit_code.h"
#include "trigger/result.h"

namespace hindsight::trigger {

struct HresultInfo {
  uint32_t value;
  std::string_view name;
  std::string_view what;
  std::string_view next;
  bool passing;  // worth retrying a moment later
};

// A row never moves: its exit code is kFirstHresult plus its index; where that is kUsage,
// kDisplacedHresult.
std::span<const HresultInfo> Hresults();
const HresultInfo* FindHresult(uint32_t value);
TriggerExit ExitCodeOf(const HresultInfo& info);

// For any value but S_OK. `asked`: what was requested ("The attach to process 12").
Failure ExplainHresult(uint32_t value, std::string_view asked);

}  // namespace hindsight::trigger
