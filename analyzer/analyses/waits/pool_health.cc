#include "analyzer/analyses/waits/pool_health.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// The recorder reports counters once a second if they have changed.
constexpr int64_t kSampleNs = 1'100'000'000;

// Workers, by place.
class PoolThreads {
 public:
  explicit PoolThreads(const Model& model)
      : dictionaries_(model.dictionaries), calls_(model.dictionaries), places_(model) {}

  uint64_t busy = 0, blocked = 0;

  // `wait`: what events report that it waited for.
  void Add(StackId stack, bool may_run, WaitKind wait) {
    std::vector<MethodId> path = WaitPath(dictionaries_, stack);
    if (calls_.WorkerOf(path) != BlockingCalls::Worker::kAtWork) return;
    ++busy;
    BlockingCall call = calls_.Find(path);
    if (call.kind == BlockingCall::Kind::kNone && !may_run) call.kind = KindOf(wait);
    if (call.kind == BlockingCall::Kind::kNone || (may_run && !IsForTask(call.kind))) return;
    ++blocked;
    const auto [at, is_new] =
        index_.try_emplace({call.kind, places_.Of(BehindWait(calls_, path))}, sites_.size());
    if (is_new) {
      sites_.push_back({0, call.kind, {}, 0});
      paths_.emplace_back();
    }
    ++sites_[at->second].count;
    ++paths_[at->second][std::move(path)];
  }

  std::vector<BlockingSite> Take() {
    for (size_t i = 0; i < sites_.size(); ++i) {
      const auto most =
          std::max_element(paths_[i].begin(), paths_[i].end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      sites_[i].path = most->first;
      sites_[i].site = WaitSiteOf(places_, calls_, most->first).site;
    }
    FoldInlined();
    std::stable_sort(
        sites_.begin(), sites_.end(),
        [](const BlockingSite& a, const BlockingSite& b) { return a.count > b.count; });
    return std::move(sites_);
  }

 private:
  // In the site's path, the frame that calls the site.
  MethodId CallerOf(const BlockingSite& site) const {
    const auto at = std::find(site.path.begin(), site.path.end(), site.site);
    return at == site.path.end() || at + 1 == site.path.end() ? 0 : *(at + 1);
  }

  // If a framework method has one of yours inlined in some of its bodies and calls it in others,
  // the two are one place, provided that only one of yours was seen there in such a call.
  void FoldInlined() {
    for (BlockingSite& hidden : sites_) {
      if (places_.kinds().Of(hidden.site) != FrameKind::kFramework) continue;
      BlockingSite* called = nullptr;
      size_t count = 0;
      for (BlockingSite& site : sites_) {
        if (site.call != hidden.call || site.count == 0 || CallerOf(site) != hidden.site ||
            !places_.kinds().IsYours(site.site)) {
          continue;
        }
        ++count;
        called = &site;
      }
      if (count != 1) continue;
      called->count += hidden.count;
      hidden.count = 0;
    }
    std::erase_if(sites_, [](const BlockingSite& site) { return site.count == 0; });
  }

  const Dictionaries& dictionaries_;
  BlockingCalls calls_;
  Places places_;
  std::map<std::pair<BlockingCall::Kind, PlaceId>, size_t> index_;
  std::vector<BlockingSite> sites_;
  std::vector<std::map<std::vector<MethodId>, uint64_t>> paths_;  // parallel to sites_: workers
};

void ReadSamples(const Model& model, const PoolRules& rules, PoolReport& report) {
  const std::vector<PoolSampleInfo>& samples = model.waits.samples;
  if (samples.empty()) return;
  report.fewest_workers = UINT32_MAX;
  uint64_t stall_ns = 0;
  int64_t stall_at_ns = 0;
  double queued = 0;  // items times nanoseconds
  for (size_t i = 0; i < samples.size(); ++i) {
    const PoolSampleInfo& sample = samples[i];
    report.longest_queue = std::max(report.longest_queue, sample.queue_length);
    report.fewest_workers = std::min(report.fewest_workers, sample.workers);
    report.most_workers = std::max(report.most_workers, sample.workers);
    const bool is_last = i + 1 == samples.size();
    // Nothing has changed after the last sample, otherwise there would be another one.
    const int64_t next_ns =
        is_last ? std::max(sample.at_ns, model.facts.last_ns - kSampleNs) : samples[i + 1].at_ns;
    queued += static_cast<double>(sample.queue_length) *
              static_cast<double>(std::max<int64_t>(0, next_ns - sample.at_ns));
    const bool stands =
        sample.queue_length > 0 && (is_last || samples[i + 1].completed == sample.completed);
    if (!stands || next_ns <= sample.at_ns) {
      stall_ns = 0;
      continue;
    }
    const auto length = static_cast<uint64_t>(next_ns - sample.at_ns);
    if (stall_ns == 0) stall_at_ns = sample.at_ns;
    stall_ns += length;
    report.stalled_ns += length;
    if (stall_ns > report.longest_stall_ns) {
      report.longest_stall_ns = stall_ns;
      report.longest_stall_at_ns = stall_at_ns;
    }
  }
  report.sampled_ns = samples.back().at_ns - samples.front().at_ns;
  if (samples.back().completed > samples.front().completed) {
    report.completed = samples.back().completed - samples.front().completed;
  }
  if (report.completed >= rules.long_wait_pieces) {
    report.mean_wait_ns = static_cast<uint64_t>(queued / static_cast<double>(report.completed));
  }
}

void FindSeenElsewhere(const Model& model, const std::vector<BlockingSite>& all,
                       PoolReport& report) {
  FrameKinds kinds(model);
  if (report.blocking.empty() || kinds.Of(report.blocking.front().site) != FrameKind::kFramework) {
    return;
  }
  uint64_t most = 0;
  for (const BlockingSite& site : all) {
    if (site.call != report.blocking.front().call || site.count <= most) continue;
    if (!kinds.IsYours(site.site)) continue;
    most = site.count;
    report.seen_in = site.site;
  }
}

bool IsCalledByTimer(const Dictionaries& dictionaries, const std::vector<MethodId>& path) {
  return std::ranges::any_of(path, [&dictionaries](MethodId method) {
    const TypeId type = dictionaries.method(method).type;
    return dictionaries.String(dictionaries.type(type).name) == "System.Threading.TimerQueueTimer";
  });
}

// The innermost method of a package that `path` calls in its `site`; 0: there is none.
MethodId PackageIn(const std::vector<MethodId>& path, MethodId site, FrameKinds& kinds) {
  for (const MethodId method : path) {
    if (method == site) break;
    if (kinds.Of(method) == FrameKind::kPackage) return method;
  }
  return 0;
}

// `blocking`: from one look.
void AddBlockers(const Dictionaries& dictionaries, const std::vector<BlockingSite>& blocking,
                 FrameKinds& kinds, std::vector<WorkerBlocker>& out) {
  struct Workers {
    uint64_t all = 0, in_timers = 0;
    MethodId through = 0;
  };
  std::map<std::pair<MethodId, BlockingCall::Kind>, Workers> workers;
  for (const BlockingSite& site : blocking) {
    if (!kinds.IsYours(site.site)) continue;
    const auto call = IsForTask(site.call) ? BlockingCall::Kind::kTask : site.call;
    Workers& here = workers[{site.site, call}];
    here.all += site.count;
    here.through = PackageIn(site.path, site.site, kinds);
    if (IsCalledByTimer(dictionaries, site.path)) here.in_timers += site.count;
  }
  for (const auto& [key, count] : workers) {
    auto at = std::find_if(out.begin(), out.end(), [&key = key](const WorkerBlocker& blocker) {
      return blocker.site == key.first && blocker.call == key.second;
    });
    if (at == out.end()) at = out.insert(at, {.site = key.first, .call = key.second});
    ++at->looks;
    at->workers += count.all;
    at->through = count.through;
    at->most_in_timers = std::max(at->most_in_timers, count.in_timers);
  }
}

// What events report that the thread waited for at that moment; kUnknown: nothing.
WaitKind WaitsAt(const Waits& waits, ThreadIndex thread, int64_t at_ns) {
  const auto later = std::ranges::upper_bound(
      waits.spans, std::pair(thread, at_ns), {},
      [](const WaitSpan& span) { return std::pair(span.thread, span.at_ns); });
  if (later != waits.spans.begin()) {
    const WaitSpan& span = *std::prev(later);
    const bool lasts = at_ns - span.at_ns < static_cast<int64_t>(span.duration_ns);
    if (span.thread == thread && lasts) return span.kind;
  }
  const auto open = std::ranges::find_if(waits.open, [&](const OpenWait& wait) {
    return wait.thread == thread && wait.start_ns <= at_ns;
  });
  return open == waits.open.end() ? WaitKind::kUnknown : open->kind;
}

void FindWorkers(const Model& model, PoolReport& report) {
  std::vector<BlockingSite> all;  // of all looks
  FrameKinds kinds(model);
  for (const ThreadSnapshot& snapshot : model.waits.snapshots) {
    PoolThreads threads(model);
    for (const ThreadInSnapshot& thread : snapshot.threads) {
      const bool may_run = thread.state == ThreadRunState::kRunning;
      threads.Add(thread.stack, may_run, WaitsAt(model.waits, thread.thread, snapshot.at_ns));
    }
    const uint64_t busy = threads.busy, blocked = threads.blocked;
    std::vector<BlockingSite> blocking = threads.Take();
    all.insert(all.end(), blocking.begin(), blocking.end());
    AddBlockers(model.dictionaries, blocking, kinds, report.blockers);
    report.busy_in_all += busy;
    report.blocked_in_all += blocked;
    if (report.has_thread_stacks &&
        std::pair(blocked, busy) <= std::pair(report.blocked, report.busy)) {
      continue;
    }
    report.has_thread_stacks = report.from_snapshot = true;
    report.seen_at_ns = snapshot.at_ns;
    report.busy = busy;
    report.blocked = blocked;
    report.blocking = std::move(blocking);
  }
  std::stable_sort(
      report.blockers.begin(), report.blockers.end(),
      [](const WorkerBlocker& a, const WorkerBlocker& b) { return a.workers > b.workers; });
  FindSeenElsewhere(model, all, report);
  if (report.has_thread_stacks) return;
  PoolThreads threads(model);
  for (const OpenWait& wait : model.waits.open) threads.Add(wait.stack, false, wait.kind);
  if (threads.blocked == 0) return;
  report.has_thread_stacks = true;
  report.seen_at_ns = model.facts.last_ns;
  report.busy = std::max<uint64_t>(threads.busy, report.most_workers);
  report.blocked = threads.blocked;
  report.blocking = threads.Take();
}

// Whether `count` is many, also relative to the recording's length.
bool AreMany(const Model& model, uint64_t count, uint64_t many, double per_minute) {
  const double minutes = static_cast<double>(model.facts.length_ns()) / 60e9;
  return count >= many && static_cast<double>(count) >= per_minute * minutes;
}

bool IsPart(uint64_t part, uint64_t whole, const PoolRules& rules) {
  return part > 0 && static_cast<double>(part) >= rules.blocked_share * static_cast<double>(whole);
}

// Whether most of the blocked workers block in one place.
bool HaveOnePlace(const PoolReport& report, const PoolRules& rules) {
  return !report.blocking.empty() && IsPart(report.blocking.front().count, report.blocked, rules);
}

// Whether they wait for a lock whose owner waits for a processor.
bool LackProcessors(const PoolReport& report) {
  if (!report.processors.is_short || report.blocking.empty()) return false;
  BlockingCall call;
  call.kind = report.blocking.front().call;
  return call.is_lock();
}

// A parallel loop always has one work item queued, with which it would take a further worker.
constexpr uint64_t kQueuedByLoop = 1;

// Whether all blocked workers run the bodies of parallel loops, and nothing else waited for a
// worker.
bool BlocksOnlyItself(const PoolReport& report) {
  if (report.longest_queue > kQueuedByLoop || report.blocking.empty()) return false;
  const Dictionaries& dictionaries = report.model->dictionaries;
  return std::ranges::all_of(report.blocking, [&](const BlockingSite& site) {
    return std::ranges::any_of(site.path, [&](MethodId method) {
      const TypeId type = dictionaries.method(method).type;
      const std::string_view name = dictionaries.String(dictionaries.type(type).name);
      return name.starts_with("System.Threading.Tasks.Parallel") ||
             name.starts_with("System.Linq.Parallel.");
    });
  });
}

PoolReport::Verdict Judge(const Model& model, const PoolReport& report, const PoolRules& rules,
                          bool by_tasks) {
  using Verdict = PoolReport::Verdict;
  const bool has_figures = !model.waits.samples.empty();
  // Without the pool's events, stacks do not show whether anything waits for a worker.
  if (!has_figures && model.waits.adjustments.empty() &&
      !(report.has_thread_stacks && model.facts.locks_on)) {
    return Verdict::kUnknown;
  }
  // Workers that block on tasks again and again, or work that was not taken for long.
  const bool stood_long = report.longest_stall_ns >= rules.long_stall_ns;
  const bool is_strained = by_tasks || report.blocks_on_tasks || report.waits_long ||
                           report.waits_blocked || stood_long || report.starvations > 0;
  if (!report.stood_still && !report.waits_long) {
    return is_strained ? Verdict::kStrained : Verdict::kHealthy;
  }
  if (!report.has_thread_stacks) {
    return by_tasks || report.waits_long || report.starvations > 0 ? Verdict::kStrained
                                                                   : Verdict::kUnknown;
  }
  if (!report.are_blocked) return is_strained ? Verdict::kStrained : Verdict::kHealthy;
  if (has_figures && BlocksOnlyItself(report)) return Verdict::kStrained;
  const bool is_starved = HaveOnePlace(report, rules) || stood_long || report.waits_long;
  return is_starved && !LackProcessors(report) ? Verdict::kStarved : Verdict::kStrained;
}

}  // namespace

std::string PoolReport::MeanWaitText() const {
  const auto seen_ns = static_cast<uint64_t>(sampled_ns);
  return mean_wait_ns > seen_ns ? "more than " + FormatDuration(seen_ns)
                                : FormatDuration(mean_wait_ns);
}

PoolReport AnalyzePool(const Model& model, const PoolRules& rules) {
  PoolReport report(model);
  report.starvations = model.waits.starvations;
  report.processors = ProcessorWaitOf(model);
  for (const PoolAdjustmentInfo& adjustment : model.waits.adjustments) {
    report.cooperative += adjustment.reason == PoolAdjustmentInfo::Reason::kCooperativeBlocking;
  }
  ReadSamples(model, rules, report);
  FindWorkers(model, report);
  // The pool adds workers when nothing leaves its queue; without counters, that has to suffice.
  report.stood_still = model.waits.samples.empty() ? report.starvations >= rules.some_starvations
                                                   : report.longest_stall_ns >= rules.stall_ns;
  report.waits_long = report.mean_wait_ns >= rules.long_wait_ns;
  report.are_blocked = IsPart(report.blocked, report.busy, rules);
  report.waits_blocked =
      report.mean_wait_ns >= rules.blocked_wait_ns && model.waits.snapshots.size() > 1 &&
      IsPart(report.blocked_in_all, report.busy_in_all, rules) && !report.processors.is_short;
  report.is_occupied = report.are_blocked && report.blocked >= rules.occupied_workers;
  const bool by_tasks =
      AreMany(model, report.cooperative, rules.many_blocked, rules.many_blocked_per_minute);
  report.blocks_on_tasks =
      AreMany(model, report.cooperative, rules.some_blocked, rules.many_blocked_per_minute);
  report.verdict = Judge(model, report, rules, by_tasks);
  const bool is_strained = report.verdict == PoolReport::Verdict::kStrained;
  report.strained_by_tasks = is_strained && by_tasks;
  report.strained_by_blocking =
      is_strained && report.are_blocked && !LackProcessors(report) &&
      (model.waits.samples.empty() || !BlocksOnlyItself(report)) &&
      (report.waits_blocked || AreMany(model, report.starvations, rules.many_starvations,
                                       rules.many_starvations_per_minute));
  return report;
}

}  // namespace hindsight::analyzer
