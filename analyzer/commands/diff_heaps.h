// Differences between heap snapshots, with one heap in memory at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/base/result.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/report/heap/diff_report.h"

namespace hindsight::analyzer {

struct HeapSource {
  std::string path;
  std::optional<uint32_t> snapshot;  // nullopt: the newest that has objects
};

// Each is opened when it is first needed.
class OpenRecordings {
 public:
  explicit OpenRecordings(bool shows_progress = true) : shows_progress_(shows_progress) {}
  Result<Recording*> At(const std::string& path);
  bool shows_progress() const { return shows_progress_; }

 private:
  bool shows_progress_;
  std::map<std::string, Recording> by_path_;
};

// `sources`: at least two, in order of time. Returns what `report` makes of the view, which ends
// with the call; view.top is for the caller to set.
Result<std::string> WithHeapDiff(std::span<const HeapSource> sources, OpenRecordings& recordings,
                                 const DiffRules& rules,
                                 const std::function<std::string(DiffView&)>& report);

}  // namespace hindsight::analyzer
