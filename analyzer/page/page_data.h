// What the report's page reads, but for its flame graphs.
//
// {
//   "creator": "hindsight 0.1.0",
//   "recordings": [{"label", "title", "facts": [[name, value]], "notes": [sentences],
//     "seconds": that it covers}], the earlier one first; the page is of the last,
//   "answers": {COMMAND: what it answers with --json, or null where there is no data for it;
//     "requests": {"finished", "failed", "total_ns", "in_flight": at the end,
//       "busiest": [{"at_ns", "length_ns", "finished", "failed", "total_ns"}],
//       "served", "made": as `requests --json` has them}, or null},
//   "before": the same of the earlier recording, or null,
//   "comparison": see comparison_data.h, null of one recording alone,
//   "left_out": {"COMMAND/list": rows that the page has not, of "answers"},
//   "drawings": {NAME: data or null}, see page.h
//   "drawings_before": those of the earlier recording that the later one has not, or null
// }
#pragma once

#include <optional>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/page/page.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// The data and the flame graphs are made of one analysis. Nothing where there are no events.
struct PageWalls {
  PageWalls(const PageRecording& now, const PageRecording* before, const PageLimits& limits);

  std::optional<WallReport> now, before;
};

Json PageData(const PageRecording& now, const PageRecording* before, const PageWalls& walls,
              const std::string& creator, const PageLimits& limits);

}  // namespace hindsight::analyzer
