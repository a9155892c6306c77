#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/report/common_fields.h"
#include "analyzer/report/waits/wall_report.h"

namespace hindsight::analyzer {
namespace {

std::vector<std::pair<std::string_view, uint64_t>> ByState(const WallTimes& times) {
  std::vector<std::pair<std::string_view, uint64_t>> out;
  for (size_t i = 0; i < kWallStates; ++i) {
    out.emplace_back(WallStateName(static_cast<WallState>(i)), times.ns[i]);
  }
  return out;
}

Object<WallPlace, WallReport> WallPlaceFields() {
  return {
      {"state", "lock, task, signal, sleep or native",
       [](auto& place) { return WallStateName(place.state); }},
      {"site", "The place: the innermost method of your assemblies, or else of others",
       MethodAt(&WallPlace::site)},
      {"through", "The framework call that waited; null: the wait itself",
       MethodOrNull(&WallPlace::through)},
      {"total_ns", "Of all threads together", &WallPlace::total_ns},
      {"proved_ns",
       "Part of total_ns that is exact: events tell of the wait, or the thread did not run at all "
       "between two snapshots; the rest is an estimate from the stacks in snapshots",
       &WallPlace::proved_ns},
      {"threads", "Who waited, most time first", ThreadFields(),
       [](auto& place, auto& report) {
         std::vector<ThreadRow> rows;
         for (const ThreadIndex index : place.threads) rows.push_back({report.model, index});
         return rows;
       }},
      {"stack", "Methods, innermost first", StackAt(&WallPlace::path)},
  };
}

Object<WallThread, WallReport> WallThreadFields() {
  return {
      {"thread", "Null: unknown", ThreadFields(), ThreadAt(&WallThread::thread)},
      {"from_ns", "Its life in the recording", &WallThread::from_ns},
      {"to_ns", "Likewise", &WallThread::to_ns},
      {"observed_ns", "How long it lived in the recording, the sum of states_ns",
       [](auto& thread) { return thread.times.all(); }},
      {"states_ns", "By state", [](auto& thread) { return ByState(thread.times); }},
      {"site", "Where it waited most; null: unknown", MethodOrNull(&WallThread::site)},
  };
}

Object<WallReport, WallReport> WallFields() {
  return {
      HeadFields("wall"),
      {"recording", "", RecordingFields(), kItsModel},
      {"is_seen", "False: there are neither waits nor thread snapshots that tell times",
       &WallReport::is_seen},
      {"from_ns", "What was looked at of the recording", &WallReport::from_ns},
      {"to_ns", "Likewise", &WallReport::to_ns},
      {"threads_seen", "How many threads, all of them",
       [](auto& report) { return report.threads.size(); }},
      {"observed_ns", "Of all threads together, the sum of states_ns",
       [](auto& report) { return report.times.all(); }},
      {"states_ns", "By state", [](auto& report) { return ByState(report.times); }},
      {"stopped_ns", "All managed threads were stopped", &WallReport::stopped_ns},
      {"places", "Where threads waited and were not idle, most time first", WallPlaceFields(),
       &WallReport::places},
      {"threads", "Most time that was not idle first", WallThreadFields(), &WallReport::threads},
  };
}

}  // namespace

std::string WallJson(const WallReport& report) { return JsonOf(WallFields(), report); }

SharedShape WallShape() { return WallFields().shape(); }

}  // namespace hindsight::analyzer
