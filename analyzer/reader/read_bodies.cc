#include "analyzer/reader/read_bodies.h"

#include <utility>
#include <vector>

#include "analyzer/base/progress.h"

namespace hindsight::analyzer {

const char* ForEachBody(SegmentIndex& index, Progress* progress,
                        const std::function<void(const CheckedBody&)>& take) {
  if (progress != nullptr) progress->Start(index.integrity().total_bytes);
  std::vector<std::pair<size_t, const char*>> invalid;
  uint64_t done_bytes = 0;
  {
    ReadAhead ahead(index.paths(), index.segments());
    CheckedBody body;
    while (ahead.Take(body)) {
      const SegmentRef& segment = index.segments()[body.segment];
      done_bytes += segment.end() - segment.offset;
      if (progress != nullptr) progress->Update(done_bytes);
      if (body.error != nullptr) {
        invalid.emplace_back(body.segment, body.error);
      } else {
        take(body);
      }
    }
  }
  if (progress != nullptr) progress->Finish();
  for (const auto& [segment, clause] : invalid) index.MarkInvalid(segment, clause);
  return invalid.empty() ? nullptr : invalid.front().second;
}

}  // namespace hindsight::analyzer
