#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/waits/wall_fields.h"
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

// Most states have no time in any given part.
std::vector<std::pair<std::string_view, uint64_t>> ByStateIfAny(const WallTimes& times) {
  auto out = ByState(times);
  std::erase_if(out, [](const auto& entry) { return entry.second == 0; });
  return out;
}

Object<LaneRun, WallReport> LaneRunFields() {
  const auto lock = [](auto& run) -> std::optional<std::string> {
    if (run.lock == 0) return std::nullopt;
    return FormatHex(run.lock);
  };
  return {
      {"from_ns", "Where it begins",
       [](auto& run, auto& report) { return report.lanes->At(run.first_part); }},
      {"to_ns", "... and ends",
       [](auto& run, auto& report) { return report.lanes->At(run.first_part + run.parts); }},
      {"state", "That has most of its time", [](auto& run) { return WallStateName(run.state); }},
      {"states_ns", "By state, those that have any",
       [](auto& run) { return ByStateIfAny(run.times); }},
      {"site", "The place in which it waited most, in that state; null: none, or unknown",
       MethodOrNull(&LaneRun::site)},
      {"through", "The framework call that waited; null: the wait itself",
       MethodOrNull(&LaneRun::through)},
      {"lock", "The lock that it waited for, the runtime's id; null: none, or unknown", lock},
      {"owner", "Who held that lock as the wait began; null: unknown", ThreadFields(),
       ThreadAt(&LaneRun::owner)},
  };
}

Object<ThreadLane, WallReport> LaneFields() {
  return {
      {"thread", "Null: unknown", ThreadFields(), ThreadAt(&ThreadLane::thread)},
      {"is_idle", "It had almost nothing to do", &ThreadLane::is_idle},
      {"states_ns", "By state, as in threads", [](auto& lane) { return ByState(lane.times); }},
      {"runs", "Stretches of its life, by time", LaneRunFields(), &ThreadLane::runs},
  };
}

Object<ThreadLanes, WallReport> LanesFields() {
  return {
      {"from_ns", "Time range covered: from here", &ThreadLanes::from_ns},
      {"to_ns", "... to here", &ThreadLanes::to_ns},
      {"parts", "How many, of equal length", &ThreadLanes::parts},
      {"lanes", "A thread each: most to do first, idle ones last", LaneFields(),
       &ThreadLanes::lanes},
  };
}

constexpr size_t kWideEnough = 90;  // columns, to include the pauses, which are mostly short

// A column with the share of a thread's time that `get` returns; a dash for zero.
template <typename Get>
Field<WallThread, WallReport> PartColumn(std::string_view title, Get get, size_t least_width = 0) {
  return {TextColumn(title).AlignsRight().WhenWide(least_width), [get](auto& thread) {
            const uint64_t ns = get(thread.times);
            return ns == 0 ? std::string("-") : ShareText(PartOf(ns, thread.times.all()));
          }};
}

}  // namespace

std::string WallPlaceText(const WallPlace& place, const WallReport& report) {
  std::string text = Printable(report.names.Display(place.site));
  if (place.through != 0) text += ", in " + Printable(report.names.Display(place.through));
  return text;
}

Object<WallPlace, WallReport> WallPlaceFields() {
  return {
      {"state", "lock, task, signal, sleep or native",
       [](auto& place) { return WallStateName(place.state); }, TextColumn("state")},
      {"site", "The place: the innermost method of your assemblies, or else of others",
       MethodAt(&WallPlace::site)},
      {"through", "The framework call that waited; null: the wait itself",
       MethodOrNull(&WallPlace::through)},
      {"total_ns", "Of all threads together", &WallPlace::total_ns, TextColumn("time").First()},
      {"proved_ns",
       "Part of total_ns that is exact: events report the wait, or the thread did not run at all "
       "between two snapshots; the rest is an estimate from the stacks in snapshots",
       &WallPlace::proved_ns},
      {TextColumn("proved").First().AlignsRight(),
       [](auto& place) { return ShareText(PartOf(place.proved_ns, place.total_ns)); }},
      {"threads", "Who waited, most time first", ThreadFields(),
       [](auto& place, auto& report) {
         std::vector<ThreadRow> rows;
         for (const ThreadIndex index : place.threads) rows.push_back({report.model, index});
         return rows;
       }},
      {TextColumn("threads").AlignsRight(),
       [](auto& place) { return FormatCount(place.threads.size()); }},
      {"stack", "Methods, innermost first", StackAt(&WallPlace::path)},
      {TextColumn("place").Shrinks(), WallPlaceText},
  };
}

Object<WallThread, WallReport> WallThreadFields() {
  return {
      {"thread", "Null: unknown", ThreadFields(), ThreadAt(&WallThread::thread)},
      {TextColumn("thread").Shrinks(),
       [](auto& thread, auto& report) { return ThreadLabel(*report.model, thread.thread); }},
      {"from_ns", "When it began, in the recording", &WallThread::from_ns},
      {"to_ns", "When it ended, in the recording", &WallThread::to_ns},
      {"observed_ns", "How long it lived in the recording, the sum of states_ns",
       [](auto& thread) { return thread.times.all(); }, TextColumn("lived")},
      {"states_ns", "By state", [](auto& thread) { return ByState(thread.times); }},
      PartColumn("running", [](auto& times) { return times[WallState::kRunning]; }),
      PartColumn("ready", [](auto& times) { return times[WallState::kReady]; }),
      PartColumn("waiting", [](auto& times) { return times.waiting(); }),
      PartColumn(
          "paused", [](auto& times) { return times[WallState::kPaused]; }, kWideEnough),
      PartColumn("idle", [](auto& times) { return times[WallState::kIdle]; }),
      PartColumn("unknown", [](auto& times) { return times[WallState::kUnknown]; }),
      {"site", "Where it waited most; null: unknown", MethodOrNull(&WallThread::site)},
      {TextColumn("waited most in").Shrinks(),
       [](auto& thread, auto& report) {
         return thread.site == 0 ? std::string("-") : Printable(report.names.Display(thread.site));
       }},
  };
}

namespace {

Object<WallReport, WallReport> WallFields() {
  return {
      HeadFields("wall"),
      {"recording", "", RecordingFields(), kItsModel},
      {"is_seen", "False: there are neither waits nor thread snapshots with run times",
       &WallReport::is_seen},
      {"from_ns", "Time range covered: from here", &WallReport::from_ns},
      {"to_ns", "... to here", &WallReport::to_ns},
      {"threads_seen", "How many threads, all of them",
       [](auto& report) { return report.threads.size(); }},
      {"observed_ns", "Of all threads together, the sum of states_ns",
       [](auto& report) { return report.times.all(); }},
      {"states_ns", "By state", [](auto& report) { return ByState(report.times); }},
      {"stopped_ns", "All managed threads were stopped", &WallReport::stopped_ns},
      {"places", "Where threads waited and were not idle, most time first", WallPlaceFields(),
       &WallReport::places},
      {"threads", "Most time that was not idle first", WallThreadFields(), &WallReport::threads},
      {"timeline", "The states of threads over time; null without --timeline", LanesFields(),
       &WallReport::lanes},
  };
}

}  // namespace

std::string WallJson(const WallReport& report) { return JsonOf(WallFields(), report); }

SharedShape WallShape() { return WallFields().shape(); }

}  // namespace hindsight::analyzer
