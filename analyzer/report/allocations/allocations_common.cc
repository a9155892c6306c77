#include "analyzer/report/allocations/allocations_common.h"

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

Object<PathWeight> AllocatedFields() {
  return {
      {"bytes", "Bytes, estimated", &PathWeight::amount},
      {"bytes_error", "Sampling error of bytes (95 %)", &ErrorOf},
      {"objects", "Objects, estimated", &PathWeight::count},
      {"samples", "Number of samples", &PathWeight::samples},
  };
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
