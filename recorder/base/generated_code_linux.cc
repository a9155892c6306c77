#include <algorithm>
#include <string_view>

#include "recorder/base/clock.h"
#include "recorder/base/generated_code.h"
#include "recorder/base/mappings.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kReadEveryNs = 1'000'000'000;

// The runtime maps its code twice, so that it is never writable where it runs: from a file without
// a folder, or, on old kernels, from one in /dev/shm (dotnet/runtime,
// src/coreclr/minipal/Unix/doublemapping.cpp).
bool IsGenerated(const Mapping& mapping) {
  const std::string_view name = mapping.name;
  return mapping.access.size() > 2 && mapping.access[2] == 'x' &&
         (name.empty() || name.starts_with("[anon") || name.starts_with("/memfd:") ||
          name.find("doublemapper") != std::string_view::npos);
}

}  // namespace

bool GeneratedCode::Contains(uintptr_t address) {
  const uint64_t now = MonotonicNs();
  if (read_ns_ == 0 || now - read_ns_ > kReadEveryNs) {
    read_ns_ = now;
    ranges_.clear();
    ForEachMapping(ReadOwnMaps(), [this](const Mapping& mapping) {
      if (IsGenerated(mapping)) ranges_.push_back({mapping.low, mapping.high});
      return true;
    });
  }
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::low);
  return next != ranges_.begin() && address < std::prev(next)->high;
}

}  // namespace hindsight::recorder
