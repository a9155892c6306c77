#include "analyzer/report/allocations/allocation_words.h"

#include <algorithm>
#include <cstdint>

#include "analyzer/base/text.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/paragraphs.h"

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

void AppendAllocationTree(std::string& out, const CallPaths& paths, const PathWeight& whole,
                          const AllocationQuery& query, const AllocationTextOptions& options) {
  PathTreeLook look;
  look.title = query.bottom_up ? "method, then its callers" : "method, then its callees";
  look.amount_title = "bytes";
  look.amount = EstimatedBytes;
  look.has_self = !query.bottom_up;
  look.min_share = options.min_share;
  AppendSection(out, options.style,
                query.bottom_up       ? "Inverted call tree: allocating methods, callers below"
                : query.focus.empty() ? "Call tree"
                                      : "Call tree from the matching methods");
  out += PathTreeText(paths, whole, look, options.style);
}

}  // namespace hindsight::analyzer
