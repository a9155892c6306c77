#include "analyzer/report/allocations/allocation_words.h"

#include <algorithm>
#include <cstdint>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

uint64_t Whole(double value) {
  return value > 0 ? static_cast<uint64_t>(std::min(value + 0.5, 9e18)) : 0;
}

}  // namespace

Json JsonWeight(const PathWeight& weight) {
  return {{"bytes", weight.amount},
          {"bytes_error", ErrorOf(weight)},
          {"objects", weight.count},
          {"samples", weight.samples}};
}

std::string_view SamplingName(AllocationProfile::Sampling sampling) {
  switch (sampling) {
    case AllocationProfile::Sampling::kBytes:
      return "bytes";
    case AllocationProfile::Sampling::kTick:
      return "tick";
    case AllocationProfile::Sampling::kUnknown:
      break;
  }
  return "unknown";
}

std::string EstimatedBytes(double bytes) { return FormatBytes(Whole(bytes)); }
std::string EstimatedCount(double count) { return FormatCount(Whole(count)); }

}  // namespace hindsight::analyzer
