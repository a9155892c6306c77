// What can be recorded: the one table used by the recorder and printed by `hindsight-trigger
// sources`.
//
// Constant data: any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "recorder/clr/event_mask.h"

namespace hindsight::contract {

enum class Source : uint8_t {
  kExceptions,
  kThreads,
  kModules,
  kGc,
  kLocks,
  kWaits,
  kCpu,
  kAllocations,
  kRequests,
  kHeap
};
inline constexpr size_t kSourceCount = 10;

// A parameter of a source, written `<source>.<name>=<value>` in the options.
struct Parameter {
  std::string_view name;
  std::string_view default_value;
  std::string_view range;  // as text: "on or off", "0 to 1024 characters"
  std::string_view description;
};

struct SourceInfo {
  Source id;
  std::string_view name;
  std::string_view description;
  std::string_view cost;  // as measured on Linux
  bool on_by_default;
  clr::EventMask mask;  // flags that the source needs
  std::span<const Parameter> parameters;

  // These two on the system that the process runs on, where it may be off or cost something else.
  bool IsOnByDefault() const;
  std::string CostHere() const;

  constexpr bool AllowedAfterAttach() const {
    return mask.Without(clr::kAllowedAfterAttach).empty();
  }
};

// In the order in which reports list them.
std::span<const SourceInfo> Catalogue();
const SourceInfo* FindSource(std::string_view name);

}  // namespace hindsight::contract
