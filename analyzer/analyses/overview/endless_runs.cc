#include "analyzer/analyses/overview/endless_runs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/analyses/waits/blocking_calls.h"

namespace hindsight::analyzer {
namespace {

// Which calls have a method among their callers, or are of it.
class CallsOf {
 public:
  CallsOf(const CallTree& calls, MethodId method) : is_of_(calls.size()) {
    // Callers have smaller ids.
    for (CallId id = 1; id < calls.size(); ++id) {
      const CallNode& node = calls.node(id);
      is_of_[id] = node.method == method || is_of_[node.parent];
    }
  }
  bool Has(CallId id) const { return id < is_of_.size() && is_of_[id]; }

 private:
  std::vector<bool> is_of_;
};

bool IsOfPoolWorker(const Model& model, const BlockingCalls& calls, CallId call) {
  const CallTree& tree = model.samples.calls;
  return std::ranges::any_of(tree.Path(call),
                             [&](CallId id) { return calls.IsPoolWorker(tree.node(id).method); });
}

// The time for which a thread ran or was ready to, up to a moment.
struct BusyTime {
  int64_t at_ns = 0;
  uint64_t busy_ns = 0;
};

std::optional<BusyTime> BusyIn(const ThreadSnapshot& snapshot, uint32_t thread) {
  const auto found = std::ranges::find(snapshot.threads, thread, &ThreadInSnapshot::thread);
  if (found == snapshot.threads.end() || found->cpu_ns == 0) return std::nullopt;
  return BusyTime{snapshot.at_ns, found->cpu_ns + found->ready_ns};
}

// Whether it was busy nearly all the time up to the last snapshot in the run. What it may have done
// before the run does not count.
bool NeverIdles(const Model& model, const EndlessRun& run, const OverviewRules& rules) {
  std::optional<BusyTime> first, last;
  const ThreadInfo& thread = model.threads[run.thread];
  if (thread.has_start) first = BusyTime{thread.start_ns, 0};
  for (const ThreadSnapshot& snapshot : model.waits.snapshots) {
    const std::optional<BusyTime> busy = BusyIn(snapshot, run.thread);
    if (!busy || busy->at_ns > run.to_ns) continue;
    if (!first || busy->at_ns <= run.from_ns) first = busy;
    last = busy;
  }
  if (!first || !last) return false;
  const int64_t from_ns = std::max(first->at_ns, run.from_ns);
  const auto busy_ns = static_cast<double>(last->busy_ns) - static_cast<double>(first->busy_ns) -
                       static_cast<double>(from_ns - first->at_ns);
  const int64_t seen_ns = last->at_ns - from_ns;
  return seen_ns >= static_cast<int64_t>(rules.endless_seen_ns) &&
         busy_ns >= rules.endless_busy * static_cast<double>(seen_ns);
}

}  // namespace

std::vector<EndlessRun> EndlessRunsIn(const Model& model, MethodId method,
                                      const OverviewRules& rules) {
  const CallsOf calls_of(model.samples.calls, method);
  struct Latest {
    EndlessRun run;
    CallId call = 0;  // of its last sample
  };
  std::vector<Latest> by_thread(model.threads.size());  // those that have not ended
  for (const CpuSample& sample : model.samples.cpu.samples) {
    if (sample.thread == 0 || sample.thread >= by_thread.size() || sample.call == 0) continue;
    auto& [run, call] = by_thread[sample.thread];
    if (!calls_of.Has(sample.call)) {
      if (!sample.unrooted) run = {};
      continue;
    }
    if (run.samples++ == 0) run = {sample.thread, sample.at_ns, sample.at_ns, 1, 0};
    run.to_ns = sample.at_ns;
    run.cpu_ns += sample.cpu_ns;
    call = sample.call;
  }
  const BlockingCalls blocking(model.dictionaries);
  std::vector<EndlessRun> runs;
  for (const auto& [run, call] : by_thread) {
    if (run.samples >= rules.endless_samples && run.cpu_ns >= rules.endless_cpu_ns &&
        run.to_ns - run.from_ns >= static_cast<int64_t>(rules.endless_ns) &&
        model.facts.last_ns - run.to_ns <= static_cast<int64_t>(rules.endless_to_end_ns) &&
        IsOfPoolWorker(model, blocking, call) && NeverIdles(model, run, rules)) {
      runs.push_back(run);
    }
  }
  std::ranges::sort(runs, {}, [](const EndlessRun& run) {
    return std::pair(run.from_ns - run.to_ns, run.thread);
  });
  return runs;
}

}  // namespace hindsight::analyzer
