#include "analyzer/analyses/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/waits/lock_contention.h"

namespace hindsight::analyzer {
namespace {

using Kind = TimelineSeries::Kind;
using Mark = TimelineMark::Kind;

class TimelineBuilder {
 public:
  TimelineBuilder(Timeline& timeline, const TimelineQuery& query, const TimelineRules& rules)
      : timeline_(timeline), model_(*timeline.model), rules_(rules) {
    timeline_.from_ns = std::max(query.from_ns, model_.facts.begin_ns());
    timeline_.to_ns = std::max(timeline_.from_ns, std::min(query.to_ns, model_.facts.last_ns));
    if (timeline_.to_ns > timeline_.from_ns) timeline_.parts = query.parts;
  }

  void Run() {
    if (timeline_.parts == 0) return;
    Cpu();
    Allocations();
    Pauses();
    Heap();
    Sampled(Kind::kMemory, &MemorySample::resident_bytes);
    Compiler();
    Exceptions();
    Requests();
    Pool();
    Threads();
    Sampled(Kind::kOpenFiles, &MemorySample::open_files);
    Waits();
    HeapSnapshots();
    RuleActs();
    FatalErrors();
    std::stable_sort(
        timeline_.marks.begin(), timeline_.marks.end(),
        [](const TimelineMark& a, const TimelineMark& b) { return a.at_ns < b.at_ns; });
  }

 private:
  bool IsInside(int64_t at_ns) const {
    return at_ns >= timeline_.from_ns && at_ns <= timeline_.to_ns;
  }
  double Seconds() const { return timeline_.PartNs() / 1e9; }

  // Adds `amount` to the parts within [from_ns, to_ns), in proportion.
  void Spread(std::vector<double>& values, int64_t from_ns, int64_t to_ns, double amount) const {
    const int64_t first_ns = std::max(from_ns, timeline_.from_ns);
    const int64_t last_ns = std::min(to_ns, timeline_.to_ns);
    if (last_ns <= first_ns) return;
    const auto length = static_cast<double>(to_ns - from_ns);
    const double part_ns = timeline_.PartNs();
    for (uint32_t i = timeline_.PartOf(first_ns); i <= timeline_.PartOf(last_ns); ++i) {
      const double begin = std::max(static_cast<double>(first_ns - timeline_.from_ns), i * part_ns);
      const double end =
          std::min(static_cast<double>(last_ns - timeline_.from_ns), (i + 1) * part_ns);
      if (end > begin) values[i] += amount * (end - begin) / length;
    }
  }

  // Parts without a value get that of the previous part.
  static void CarryOn(std::vector<double>& values, const std::vector<bool>& known, double before) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (known[i]) {
        before = values[i];
      } else {
        values[i] = before;
      }
    }
  }

  void Keep(Kind kind, std::vector<double> values) {
    TimelineSeries series;
    series.kind = kind;
    const auto peak = std::max_element(values.begin(), values.end());
    if (peak == values.end() || *peak <= 0) return;
    series.peak = *peak;
    series.peak_at_ns =
        timeline_.from_ns +
        static_cast<int64_t>(static_cast<double>(peak - values.begin()) * timeline_.PartNs());
    for (const double value : values) series.mean += value / static_cast<double>(values.size());
    series.values = std::move(values);
    timeline_.series.push_back(std::move(series));
  }

  // Marks the peak of the latest series if it stands out and is at least `least`.
  void MarkPeak(Kind kind, Mark mark, double least = 0) {
    if (timeline_.series.empty() || timeline_.series.back().kind != kind) return;
    const TimelineSeries& series = timeline_.series.back();
    if (series.peak < rules_.stands_out * series.mean || series.peak < least) return;
    timeline_.marks.push_back({.kind = mark, .at_ns = series.peak_at_ns, .amount = series.peak});
  }

  std::vector<double> Zeros() const { return std::vector<double>(timeline_.parts); }

  void Cpu();
  void Allocations();
  void Pauses();
  void Heap();
  // The maximum of a number of the process in each part.
  template <typename Number>
  void Sampled(Kind kind, Number MemorySample::*number);
  void Compiler();
  void Exceptions();
  void Requests();
  void Pool();
  void Threads();
  void Waits();
  void HeapSnapshots();
  void RuleActs();
  void FatalErrors();

  Timeline& timeline_;
  const Model& model_;
  const TimelineRules& rules_;
};

void TimelineBuilder::Cpu() {
  std::vector<double> values = Zeros();
  for (const CpuSample& sample : model_.samples.cpu.samples) {
    if (!IsInside(sample.at_ns)) continue;
    values[timeline_.PartOf(sample.at_ns)] +=
        static_cast<double>(sample.cpu_ns) / timeline_.PartNs();
  }
  Keep(Kind::kCpu, std::move(values));
  MarkPeak(Kind::kCpu, Mark::kMostCpu);
}

void TimelineBuilder::Allocations() {
  std::vector<double> values = Zeros();
  for (const AllocationSample& sample : model_.samples.allocations.samples) {
    if (IsInside(sample.at_ns)) values[timeline_.PartOf(sample.at_ns)] += sample.bytes / Seconds();
  }
  Keep(Kind::kAllocations, std::move(values));
  MarkPeak(Kind::kAllocations, Mark::kMostAllocations);
}

void TimelineBuilder::Pauses() {
  std::vector<double> values = Zeros();
  const std::vector<Pause> pauses =
      FindPauses(model_.collections, timeline_.from_ns, timeline_.to_ns);
  const Pause* longest = nullptr;
  for (const Pause& pause : pauses) {
    const SuspensionRow& row = *pause.suspension;
    Spread(values, row.at_ns, pause.end_ns(),
           static_cast<double>(row.total_ns) / timeline_.PartNs());
    if (longest == nullptr || row.total_ns > longest->suspension->total_ns) longest = &pause;
  }
  Keep(Kind::kPauses, std::move(values));
  if (longest == nullptr) return;
  timeline_.marks.push_back({.kind = Mark::kLongestPause,
                             .at_ns = longest->suspension->at_ns,
                             .ns = longest->suspension->total_ns});
}

void TimelineBuilder::Heap() {
  std::vector<double> values = Zeros();
  std::vector<bool> known(timeline_.parts);
  double before = 0;
  for (const CollectionRow& row : model_.collections.rows) {
    const auto bytes = static_cast<double>(HeapAfter(row));
    if (bytes <= 0 || row.at_ns > timeline_.to_ns) continue;
    if (row.at_ns < timeline_.from_ns) {
      before = bytes;
      continue;
    }
    values[timeline_.PartOf(row.at_ns)] = bytes;
    known[timeline_.PartOf(row.at_ns)] = true;
  }
  CarryOn(values, known, before);
  Keep(Kind::kHeap, std::move(values));
}

template <typename Number>
void TimelineBuilder::Sampled(Kind kind, Number MemorySample::*number) {
  std::vector<double> values = Zeros();
  std::vector<bool> known(timeline_.parts);
  double before = 0;
  for (const MemorySample& sample : model_.memory) {
    const auto value = static_cast<double>(sample.*number);
    if (value == 0) continue;  // unknown
    if (sample.at_ns < timeline_.from_ns) before = value;
    if (!IsInside(sample.at_ns)) continue;
    const uint32_t part = timeline_.PartOf(sample.at_ns);
    values[part] = std::max(values[part], value);
    known[part] = true;
  }
  CarryOn(values, known, before);
  Keep(kind, std::move(values));
}

void TimelineBuilder::Compiler() {
  std::vector<double> values = Zeros();
  const std::vector<JitState>& states = model_.samples.jit;
  for (size_t i = 1; i < states.size(); ++i) {
    if (states[i].time_ns <= states[i - 1].time_ns) continue;
    const auto spent = static_cast<double>(states[i].time_ns - states[i - 1].time_ns);
    Spread(values, states[i - 1].at_ns, states[i].at_ns, spent / timeline_.PartNs());
  }
  Keep(Kind::kCompiler, std::move(values));
}

void TimelineBuilder::Exceptions() {
  std::vector<double> values = Zeros();
  for (const ExceptionGroup& group : model_.exceptions.groups) {
    // The buckets of a series cover the whole recording; their contents lie between the first and
    // the last event.
    const auto width_ns = static_cast<int64_t>(group.times.width_ns());
    const auto end_ns = width_ns * static_cast<int64_t>(TimeSeries::kBuckets);
    const std::vector<double> counts = group.times.Resampled(0, end_ns, TimeSeries::kBuckets);
    for (size_t i = 0; i < counts.size(); ++i) {
      const int64_t begin_ns = width_ns * static_cast<int64_t>(i);
      if (counts[i] <= 0) continue;
      Spread(values, std::max(begin_ns, group.first_ns),
             std::min(begin_ns + width_ns, group.last_ns + 1), counts[i] / Seconds());
    }
  }
  Keep(Kind::kExceptions, std::move(values));
  MarkPeak(Kind::kExceptions, Mark::kMostExceptions, rules_.min_exceptions / Seconds());
}

// How long the requests that finish in a part took is not known, but how many were in progress is,
// which also shows those that hang.
void TimelineBuilder::Requests() {
  std::vector<double> finished = Zeros(), in_progress = Zeros();
  int64_t last_ns = 0;
  for (const RequestSample& sample : model_.requests.samples) {
    const int64_t from_ns = std::min(last_ns, sample.at_ns - 1);
    last_ns = sample.at_ns;
    Spread(finished, from_ns, sample.at_ns, static_cast<double>(sample.finished));
    Spread(in_progress, from_ns, sample.at_ns,
           static_cast<double>(sample.total_ns) / timeline_.PartNs());
  }
  for (double& count : finished) count /= Seconds();
  Keep(Kind::kRequests, std::move(finished));
  MarkPeak(Kind::kRequests, Mark::kMostRequests);
  Keep(Kind::kInProgress, std::move(in_progress));
  MarkPeak(Kind::kInProgress, Mark::kMostInProgress);
}

void TimelineBuilder::Pool() {
  std::vector<double> queue = Zeros(), workers = Zeros();
  std::vector<bool> known(timeline_.parts);
  double queue_before = 0, workers_before = 0;
  for (const PoolSampleInfo& sample : model_.waits.samples) {
    const auto length = static_cast<double>(sample.queue_length);
    if (sample.at_ns < timeline_.from_ns) {
      queue_before = length;
      workers_before = sample.workers;
    }
    if (!IsInside(sample.at_ns)) continue;
    const uint32_t part = timeline_.PartOf(sample.at_ns);
    known[part] = true;
    queue[part] = std::max(queue[part], length);
    workers[part] = std::max(workers[part], static_cast<double>(sample.workers));
  }
  CarryOn(queue, known, queue_before);
  CarryOn(workers, known, workers_before);
  Keep(Kind::kPoolQueue, std::move(queue));
  MarkPeak(Kind::kPoolQueue, Mark::kLongestQueue);
  Keep(Kind::kPoolWorkers, std::move(workers));
  for (const PoolAdjustmentInfo& adjustment : model_.waits.adjustments) {
    if (adjustment.reason != PoolAdjustmentInfo::Reason::kStarvation) continue;
    if (!IsInside(adjustment.at_ns)) continue;
    timeline_.marks.push_back({.kind = Mark::kStarvation, .at_ns = adjustment.at_ns});
    break;
  }
}

void TimelineBuilder::Threads() {
  std::vector<double> changes(timeline_.parts + 1);
  for (size_t i = 1; i < model_.threads.size(); ++i) {
    const ThreadInfo& thread = model_.threads[i];
    if (!thread.has_start && !thread.seen_alive) continue;
    const int64_t start_ns = thread.has_start ? thread.start_ns : timeline_.from_ns;
    const int64_t end_ns = thread.has_end ? thread.end_ns : timeline_.to_ns;
    if (start_ns > timeline_.to_ns || end_ns < timeline_.from_ns || end_ns < start_ns) continue;
    changes[timeline_.PartOf(std::max(start_ns, timeline_.from_ns))] += 1;
    changes[timeline_.PartOf(std::min(end_ns, timeline_.to_ns)) + 1] -= 1;
  }
  std::vector<double> values = Zeros();
  double alive = 0;
  for (size_t i = 0; i < values.size(); ++i) values[i] = alive += changes[i];
  Keep(Kind::kThreads, std::move(values));
}

// Waits are aggregated by place as they are read; only the longest of each place has a time.
void TimelineBuilder::Waits() {
  TimelineMark longest{.kind = Mark::kLongestWait};
  StackId longest_stack = 0;
  const auto offer = [&](WaitKind kind, int64_t at_ns, uint64_t ns, StackId stack) {
    const bool is_lock = kind == WaitKind::kMonitor || kind == WaitKind::kLock;
    if (!is_lock || !IsInside(at_ns) || ns <= longest.ns) return;
    longest.at_ns = at_ns;
    longest.ns = ns;
    longest_stack = stack;
  };
  for (const WaitGroup& group : model_.waits.groups) {
    offer(group.kind, group.longest_at_ns, group.longest_ns, group.stack);
  }
  for (const OpenWait& wait : model_.waits.open) {
    const int64_t age_ns = std::max<int64_t>(0, model_.facts.last_ns - wait.start_ns);
    offer(wait.kind, wait.start_ns, static_cast<uint64_t>(age_ns), wait.stack);
  }
  if (longest.ns == 0) return;
  const BlockingCalls calls(model_.dictionaries);
  const std::vector<MethodId> path = WaitPath(model_.dictionaries, longest_stack);
  longest.method = calls.Site(path, calls.Find(path).frames);
  timeline_.marks.push_back(longest);
}

void TimelineBuilder::HeapSnapshots() {
  for (const ThreadSnapshot& snapshot : model_.waits.snapshots) {
    if (snapshot.heap_snapshot == 0 || !IsInside(snapshot.at_ns)) continue;
    timeline_.marks.push_back(
        {.kind = Mark::kHeapSnapshot, .at_ns = snapshot.at_ns, .ns = snapshot.heap_snapshot});
  }
}

void TimelineBuilder::RuleActs() {
  const auto& acts = model_.facts.rule_acts;
  for (size_t i = 0; i < acts.size(); ++i) {
    if (!IsInside(acts[i].at_ns)) continue;
    timeline_.marks.push_back({.kind = Mark::kRule, .at_ns = acts[i].at_ns, .ns = i});
  }
}

void TimelineBuilder::FatalErrors() {
  if (!model_.fatal_error || !IsInside(model_.fatal_error->at_ns)) return;
  timeline_.marks.push_back({.kind = Mark::kFatalError, .at_ns = model_.fatal_error->at_ns});
}

}  // namespace

uint32_t Timeline::PartOf(int64_t at_ns) const {
  const double at = static_cast<double>(at_ns - from_ns) / PartNs();
  return std::min(parts - 1, static_cast<uint32_t>(std::max(0.0, at)));
}

Timeline BuildTimeline(const Model& model, const TimelineQuery& query, const TimelineRules& rules) {
  Timeline timeline(model);
  TimelineBuilder(timeline, query, rules).Run();
  return timeline;
}

}  // namespace hindsight::analyzer
