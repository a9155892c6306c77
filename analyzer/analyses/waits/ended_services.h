// Background services (classes derived from Microsoft.Extensions.Hosting.BackgroundService) whose
// ExecuteAsync has ended, although the host goes on: what they were there for is no longer done.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

struct EndedService {
  enum class End : uint8_t { kFaulted, kCanceled, kReturned };
  std::string type;
  bool is_yours = false;
  End end = End::kReturned;
};
// "faulted", "canceled", "returned".
std::string_view EndName(EndedService::End end);

// By type, those that an exception ended first. Empty if the snapshot has no values.
std::vector<EndedService> FindEndedServices(const HeapWaits& heap);

}  // namespace hindsight::analyzer
