// What the report's page reads, except its flame graphs.
//
// {
//   "creator": "hindsight 0.1.0",
//   "recordings": [{"label", "title", "facts": [[name, value]], "notes": [sentences],
//     "seconds": that it covers}], the earlier one first; the page is about the last one,
//   "answers": {COMMAND: its --json output, or null if there is no data for it;
//     "requests": {"finished", "failed", "total_ns", "in_flight": at the end,
//       "busiest": [{"at_ns", "length_ns", "finished", "failed", "total_ns"}],
//       "served", "made": as in `requests --json`}, or null},
//   "before": the same for the earlier recording, or null,
//   "comparison": see comparison_data.h, null for a single recording,
//   "left_out": {"COMMAND/list": omitted rows of "answers"},
//   "drawings": {NAME: data or null}, see page.h
//   "drawings_before": those that only the earlier recording has, or null
// }
#pragma once

#include <optional>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/page/page.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// Data and flame graphs are made from the same analysis. nullopt if there are no events.
struct PageWalls {
  PageWalls() = default;
  PageWalls(const PageRecording& now, const PageRecording* before, const PageLimits& limits);

  std::optional<WallReport> now, before;
};

Json PageData(const PageRecording& now, const PageRecording* before, const PageWalls& walls,
              const std::string& creator, const PageLimits& limits);

}  // namespace hindsight::analyzer
