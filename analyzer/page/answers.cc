#include "analyzer/page/answers.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/cpu/cpu_report.h"
#include "analyzer/report/exceptions_json.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/heap/histogram_report.h"
#include "analyzer/report/heap/leaks_report.h"
#include "analyzer/report/overview/overview_report.h"
#include "analyzer/report/requests_report.h"
#include "analyzer/report/threads_report.h"
#include "analyzer/report/timeline_report.h"
#include "analyzer/report/waits/deadlocks_report.h"
#include "analyzer/report/waits/locks_report.h"
#include "analyzer/report/waits/pool_report.h"
#include "analyzer/report/waits/tasks_report.h"
#include "analyzer/report/waits/wall_report.h"

namespace hindsight::analyzer {
namespace {

// Texts of a page: a name of ten thousand characters is no longer useful.
constexpr size_t kMaxText = 1200;

void CutTexts(Json& json) {
  if (json.is_string()) {
    std::string& text = json.get_ref<std::string&>();
    if (text.size() <= kMaxText) return;
    size_t head = kMaxText / 2, tail = text.size() - kMaxText / 2;
    const auto is_inside = [&](size_t at) { return (text[at] & 0xc0) == 0x80; };
    while (head > 0 && is_inside(head)) --head;
    while (tail < text.size() && is_inside(tail)) ++tail;
    text = text.substr(0, head) + " … " + text.substr(tail);
  } else if (json.is_structured()) {
    for (Json& item : json) CutTexts(item);
  }
}

// Requests, the periods in which most were in progress, and the rows of `hindsight requests`.
Json RequestsAnswer(const EventReports& events, size_t rows) {
  const Requests& requests = events.model.requests;
  struct Part {
    int64_t at_ns, length_ns;
    const RequestSample* sample;
    double InProgress() const {
      return static_cast<double>(sample->total_ns) / static_cast<double>(length_ns);
    }
  };
  std::vector<Part> parts;
  int64_t last_ns = 0;
  for (const RequestSample& sample : requests.samples) {
    if (sample.total_ns > 0 && sample.at_ns > last_ns) {
      parts.push_back({last_ns, sample.at_ns - last_ns, &sample});
    }
    last_ns = std::max(last_ns, sample.at_ns);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.InProgress() > b.InProgress(); });
  parts.resize(std::min(parts.size(), rows));
  Json busiest = Json::array();
  for (const Part& part : parts) {
    busiest.push_back({{"at_ns", part.at_ns},
                       {"length_ns", part.length_ns},
                       {"finished", part.sample->finished},
                       {"failed", part.sample->failed},
                       {"total_ns", part.sample->total_ns}});
  }
  Json report = Json::parse(RequestsJson(events.requests), nullptr, false);
  Json answer = {{"finished", requests.finished},    {"failed", requests.failed},
                 {"total_ns", requests.total_ns},    {"in_flight", requests.in_progress()},
                 {"busiest", std::move(busiest)},    {"served", std::move(report["served"])},
                 {"made", std::move(report["made"])}};
  if (requests.server_errors) answer["server_errors"] = *requests.server_errors;
  if (report["details"].is_object()) answer["details"] = std::move(report["details"]);
  return answer;
}

class Answers {
 public:
  Answers(const PageLimits& limits, Json* left_out) : limits_(limits), left_out_(left_out) {}

  void Add(std::string_view command, const std::string& json) {
    answers_[std::string(command)] = Json::parse(json, nullptr, false);
  }
  void Add(std::string_view name, Json answer) { answers_[std::string(name)] = std::move(answer); }
  void AddNothing(std::string_view command) { answers_[std::string(command)] = nullptr; }

  // Cuts a list, given as "/methods", to `most` rows.
  void Cut(std::string_view command, const std::string& list, size_t most, size_t had = 0) {
    Json& answer = answers_[std::string(command)];
    const Json::json_pointer place(list);
    if (!answer.is_object() || !answer.contains(place)) return;
    Json& rows = answer[place];
    had = std::max(had, rows.size());
    if (rows.size() > most) rows.erase(rows.begin() + static_cast<long>(most), rows.end());
    if (had > rows.size() && left_out_ != nullptr) {
      (*left_out_)[std::string(command) + list] = had - rows.size();
    }
  }
  void Cut(std::string_view command, const std::string& list) { Cut(command, list, limits_.rows); }
  void Drop(std::string_view command, const char* key) {
    Json& answer = answers_[std::string(command)];
    if (answer.is_object()) answer.erase(key);
  }

  Json Take() {
    CutTexts(answers_);
    return std::move(answers_);
  }

 private:
  const PageLimits& limits_;
  Json* left_out_;
  Json answers_ = Json::object();
};

void AddEvents(const EventReports& events, const std::optional<WallReport>& wall,
               const PageLimits& limits, Answers& answers) {
  const RecordingFacts& facts = events.model.facts;
  const Timeline timeline = BuildTimeline(events.model, {.parts = limits.timeline_parts});
  answers.Add("timeline", TimelineJson(timeline));
  const Requests& requests = events.model.requests;
  if (requests.started > 0 || !requests.kinds.empty() || requests.details.count > 0) {
    answers.Add("requests", RequestsAnswer(events, limits.request_rows));
    for (const char* list : {"/served", "/made"}) answers.Cut("requests", list);
    if (events.model.facts.request_details_on) {
      for (const char* list : {"/details/routes", "/details/commands", "/details/calls"}) {
        answers.Cut("requests", list);
      }
    }
  }
  // The flame graphs contain the trees of paths.
  if (facts.cpu_on || events.cpu.whole.samples > 0) {
    answers.Add("cpu", CpuJson(events.cpu, {}));
    for (const char* list : {"/your_methods", "/methods", "/threads"}) answers.Cut("cpu", list);
    answers.Drop("cpu", "paths");
  }
  if (facts.allocations_on || events.allocations.whole.samples > 0) {
    answers.Add("allocations", AllocationsJson(events.allocations, {}));
    for (const char* list : {"/types", "/methods", "/threads"}) answers.Cut("allocations", list);
    answers.Drop("allocations", "paths");
  }
  if (facts.exceptions_on || events.exceptions.count > 0) {
    answers.Add("exceptions", ExceptionsJson(events.exceptions, limits.exceptions, 3));
    answers.Cut("exceptions", "/groups", limits.exceptions, events.exceptions.findings.size());
  }
  if (facts.gc_on || !events.gc.pauses.empty()) {
    answers.Add("gc", GcJson(events.gc));
    answers.Cut("gc", "/pauses/worst");
    answers.Drop("gc", "slices");
  }
  if (facts.locks_on || facts.waits_on || !events.locks.locks.empty() ||
      !events.locks.signals.empty()) {
    answers.Add("locks", LocksJson(events.locks));
    for (const char* list : {"/waits", "/locks", "/holders", "/open"}) answers.Cut("locks", list);
  }
  if (wall && wall->is_seen) {
    answers.Add("wall", WallJson(*wall));
    for (const char* list : {"/places", "/threads"}) answers.Cut("wall", list);
    answers.Cut("wall", "/timeline/lanes", limits.lanes);
  }
  if (events.pool.verdict != PoolReport::Verdict::kUnknown || events.pool.completed > 0) {
    answers.Add("pool", PoolJson(events.pool));
    answers.Cut("pool", "/blocking");
  }
  if (!events.threads.findings.empty()) {
    answers.Add("threads", ThreadsJson(events.threads));
    for (const char* list : {"/threads", "/stacks"}) answers.Cut("threads", list);
  }
}

void AddHeap(const HeapReports& heap, Answers& answers) {
  answers.Add("leaks", LeaksJson(heap.model, heap.names, heap.leaks));
  for (const char* list : {"/suspects", "/cleared"}) answers.Cut("leaks", list);
  const TypeHistogram histogram = MakeTypeHistogram(heap.model, heap.dominators, heap.tree);
  answers.Add("heap", HistogramJson({.model = &heap.model,
                                     .dominators = &heap.dominators,
                                     .histogram = &histogram,
                                     .snapshots = {},
                                     .order = HistogramOrder::kRetained}));
  answers.Cut("heap", "/types");
  if (heap.tasks.tasks > 0) {
    answers.Add("tasks", TasksJson(heap.model, heap.tasks));
    answers.Cut("tasks", "/groups");
  }
}

}  // namespace

Json AnswersOf(const PageRecording& recording, const std::optional<WallReport>& wall,
               const PageLimits& limits, Json* left_out) {
  const Reports& reports = *recording.reports;
  Answers answers(limits, left_out);
  const Overview overview = FindAll(reports);
  answers.Add("summary", OverviewJson({.reports = &reports,
                                       .overview = &overview,
                                       .paths = std::span(&recording.label, 1),
                                       .damages = recording.damages}));
  answers.Cut("summary", "/findings", limits.findings);
  for (const char* command :
       {"timeline", "cpu", "allocations", "exceptions", "gc", "locks", "wall", "pool", "requests",
        "threads", "deadlocks", "tasks", "leaks", "heap"}) {
    answers.AddNothing(command);
  }
  if (reports.events) AddEvents(*reports.events, wall, limits, answers);
  if (reports.heap) AddHeap(*reports.heap, answers);
  const DeadlockReport& deadlocks = reports.deadlocks;
  if (!deadlocks.deadlocks.empty() || deadlocks.looked_at.threads > 0) {
    const DeadlockOrigin origin = reports.deadlocks_from_heap
                                      ? OriginOf(reports.heap->waits)
                                      : DeadlockOrigin{.events = &reports.events->model};
    answers.Add("deadlocks", DeadlocksJson(origin, deadlocks));
    answers.Cut("deadlocks", "/deadlocks", 50);
  }
  return answers.Take();
}

}  // namespace hindsight::analyzer
