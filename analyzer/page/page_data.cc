#include "analyzer/page/page_data.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/page/answers.h"
#include "analyzer/page/comparison_data.h"
#include "analyzer/page/treemap_data.h"
#include "analyzer/page/wait_graph_data.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

// The recording's head: names and values, in the order of reading.
class Facts {
 public:
  void Add(const char* name, std::string value) {
    if (!value.empty()) facts_.push_back({name, JsonText(value)});
  }
  Json Take() { return std::move(facts_); }

 private:
  Json facts_ = Json::array();
};

std::string SourcesOf(const RecordingFacts& facts) {
  std::string sources;
  const auto add = [&](bool is_on, const char* name) {
    if (is_on) sources += (sources.empty() ? "" : ", ") + std::string(name);
  };
  add(facts.cpu_on, "cpu");
  add(facts.allocations_on, "allocations");
  add(facts.exceptions_on, "exceptions");
  add(facts.gc_on, "gc");
  add(facts.locks_on, "locks");
  add(facts.waits_on, "waits");
  add(facts.threads_on, "threads");
  add(facts.requests_on, "requests");
  return sources;
}

void AddEventFacts(const Model& model, Facts& out) {
  const RecordingFacts& facts = model.facts;
  std::string recorded = FormatDuration(facts.length_ns());
  if (facts.started_unix_ns != 0) {
    recorded += " from " + FormatUnixTime(facts.begin_unix_ns());
  }
  out.Add("recorded", recorded);
  out.Add("ended", EndClause(model));
  out.Add("sources", SourcesOf(facts));
}

std::string ProcessText(std::string_view application, uint32_t pid) {
  std::string text = application.empty() ? "an unknown process" : Printable(application);
  if (pid != 0) text += ", pid " + std::to_string(pid);
  return text;
}

Json RecordingOf(const PageRecording& recording) {
  Facts facts;
  Json notes = Json::array();
  std::string title;
  double seconds = 0;
  const auto add_process = [&](std::string_view application, uint32_t pid, std::string_view runtime,
                               std::string_view host) {
    title = application.empty() ? "A recording" : Printable(application);
    facts.Add("process", ProcessText(application, pid));
    if (!runtime.empty()) facts.Add("runtime", ".NET " + Printable(runtime));
    facts.Add("host", Printable(host));
  };
  const Reports& reports = *recording.reports;
  if (reports.events) {
    const Model& model = reports.events->model;
    add_process(model.facts.application, model.facts.pid, model.facts.runtime_version,
                model.facts.host);
    AddEventFacts(model, facts);
    seconds = static_cast<double>(model.facts.last_ns - model.facts.first_ns) / 1e9;
    for (const std::string& sentence : LossSentences(model)) notes.push_back(JsonText(sentence));
  }
  if (reports.heap) {
    const HeapModel& heap = reports.heap->model;
    if (!reports.events) add_process(heap.application, heap.pid, heap.runtime_version, heap.host);
    facts.Add("heap", HeapFactsLine(heap.graph.facts));
    for (const std::string& sentence : HeapNotes(heap)) notes.push_back(JsonText(sentence));
  }
  for (const std::string& sentence : recording.damages) notes.push_back(JsonText(sentence));
  return {{"label", JsonText(recording.label)},
          {"title", JsonText(title)},
          {"facts", facts.Take()},
          {"notes", std::move(notes)},
          {"seconds", seconds}};
}

Json DrawingsOf(const Reports& now, const Reports* before) {
  return {{"treemap", TreemapData(now, before)}, {"waitGraph", WaitGraphData(now)}};
}

Json DrawingsOfEarlier(const Reports& before, const Json& now) {
  return {{"treemap", now["treemap"].is_null() ? TreemapData(before, nullptr) : Json()},
          {"waitGraph", now["waitGraph"].is_null() ? WaitGraphData(before) : Json()}};
}

}  // namespace

PageWalls::PageWalls(const PageRecording& now, const PageRecording* before,
                     const PageLimits& limits) {
  const auto of = [&](const PageRecording& recording) -> std::optional<WallReport> {
    const auto& events = recording.reports->events;
    if (!events) return {};
    return AnalyzeWallTime(events->model, {.lane_parts = limits.lane_parts});
  };
  this->now = of(now);
  if (before != nullptr) this->before = of(*before);
}

Json PageData(const PageRecording& now, const PageRecording* before, const PageWalls& walls,
              const std::string& creator, const PageLimits& limits) {
  Json recordings = Json::array();
  if (before != nullptr) recordings.push_back(RecordingOf(*before));
  recordings.push_back(RecordingOf(now));
  Json left_out = Json::object();
  Json answers = AnswersOf(now, walls.now, limits, &left_out);
  Json drawings = DrawingsOf(*now.reports, before == nullptr ? nullptr : before->reports);
  Json earlier, comparison, earlier_drawings;
  if (before != nullptr) {
    earlier_drawings = DrawingsOfEarlier(*before->reports, drawings);
    earlier = AnswersOf(*before, walls.before, limits, nullptr);
    comparison = ComparisonData(Compare(*before->reports, *now.reports), limits.findings);
  }
  return {{"creator", JsonText(creator)},        {"recordings", std::move(recordings)},
          {"answers", std::move(answers)},       {"before", std::move(earlier)},
          {"comparison", std::move(comparison)}, {"left_out", std::move(left_out)},
          {"drawings", std::move(drawings)},     {"drawings_before", std::move(earlier_drawings)}};
}

}  // namespace hindsight::analyzer
