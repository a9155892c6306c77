#include "analyzer/analyses/waits/wall_time.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/gc/pauses.h"
#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/lock_contention.h"

namespace hindsight::analyzer {
namespace {

// What a stack says about a thread that was off the processor.
struct Standing {
  WallState state = WallState::kNotSeen;
  MethodId site = 0, through = 0;
  PlaceId place = 0;
  std::vector<MethodId> path;
};

class StandingFinder {
 public:
  explicit StandingFinder(const Model& model)
      : model_(model), places_(model), calls_(model.dictionaries) {}

  const Standing& Find(ThreadIndex thread, StackId stack) {
    const bool is_main = model_.threads[thread].os_id == model_.facts.pid;
    const auto [at, is_new] = known_.try_emplace(uint64_t{stack} << 1 | (is_main ? 1 : 0));
    if (is_new) at->second = Judge(stack, is_main);
    return at->second;
  }

 private:
  Standing Judge(StackId stack, bool is_main) {
    Standing standing;
    if (stack == OffCpuTime::kNotSeen) return standing;
    // Without managed code on its stack a thread is the runtime's, or does native code's work.
    if (stack == 0) {
      standing.state = WallState::kIdle;
      return standing;
    }
    standing.path = WaitPath(model_.dictionaries, stack);
    const BlockingCall call = calls_.Find(standing.path);
    const Place place = WaitSiteOf(places_, calls_, standing.path);
    standing.site = place.site;
    standing.through = place.through;
    standing.place = places_.Of(BehindWait(calls_, standing.path));
    standing.state = IsIdle(standing.path, call, is_main) ? WallState::kIdle : StateOf(call);
    return standing;
  }

  static WallState StateOf(const BlockingCall& call) {
    if (call.is_lock()) return WallState::kLock;
    switch (call.kind) {
      case BlockingCall::Kind::kNone:
        return WallState::kNative;
      case BlockingCall::Kind::kTask:
      case BlockingCall::Kind::kTasks:
        return WallState::kTask;
      case BlockingCall::Kind::kSleep:
        return WallState::kSleep;
      default:
        return WallState::kSignal;
    }
  }

  bool IsIdle(const std::vector<MethodId>& path, const BlockingCall& call, bool is_main) {
    const BlockingCalls::Worker worker = calls_.WorkerOf(path);
    if (worker != BlockingCalls::Worker::kNone) return worker == BlockingCalls::Worker::kIdle;
    size_t own = 0;
    bool is_framework = true;
    for (const MethodId method : path) {
      const FrameKind kind = places_.kinds().Of(method);
      if (places_.kinds().IsYours(method)) ++own;
      if (kind == FrameKind::kApplication || kind == FrameKind::kPackage) is_framework = false;
    }
    // Main that waits for the program's end, be it the compiler's around an async one.
    if (is_main && own == 1 && !call.is_lock()) return true;
    return is_framework;
  }

  const Model& model_;
  Places places_;
  BlockingCalls calls_;
  std::unordered_map<uint64_t, Standing> known_;  // by stack, and whether it is the main thread's
};

struct PlaceSums {
  uint64_t total_ns = 0, proved_ns = 0;
  std::unordered_map<ThreadIndex, uint64_t> threads;
  uint64_t most_ns = 0;  // of one stack of one thread
  const Standing* most = nullptr;
};

class WallTimeAnalysis {
 public:
  explicit WallTimeAnalysis(const Model& model)
      : model_(model), report_(model), standings_(model) {}

  WallReport Run() {
    report_.from_ns = model_.waits.times_from_ns;
    report_.to_ns = model_.waits.times_to_ns;
    for (const ThreadTime& time : model_.waits.thread_times) AddThread(time);
    for (const OffCpuTime& time : model_.waits.off_cpu) AddOffCpu(time);
    AddPauses();
    TakePlaces();
    TakeThreads();
    return std::move(report_);
  }

 private:
  using PlaceKey = std::tuple<WallState, PlaceId>;

  void AddThread(const ThreadTime& time) {
    WallThread& thread = threads_[time.thread];
    thread.thread = time.thread;
    Add(thread, WallState::kRunning, time.ran_ns);
    Add(thread, WallState::kReady, time.ready_ns);
  }

  void Add(WallThread& thread, WallState state, uint64_t ns) {
    thread.times[state] += ns;
    report_.times[state] += ns;
  }

  void AddOffCpu(const OffCpuTime& time) {
    const Standing& standing = standings_.Find(time.thread, time.stack);
    const uint64_t ns = time.proved_ns + time.sampled_ns;
    WallThread& thread = threads_[time.thread];
    Add(thread, standing.state, ns);
    if (ns > most_at_[time.thread]) {
      most_at_[time.thread] = ns;
      thread.site = standing.site;
    }
    if (standing.state == WallState::kIdle || standing.state == WallState::kNotSeen) return;
    report_.stacks.push_back({time.thread, standing.state, ns, standing.path});
    PlaceSums& sums = places_[{standing.state, standing.place}];
    sums.total_ns += ns;
    sums.proved_ns += time.proved_ns;
    sums.threads[time.thread] += ns;
    if (sums.most == nullptr || ns > sums.most_ns) {
      sums.most_ns = ns;
      sums.most = &standing;
    }
  }

  void AddPauses() {
    for (const Pause& pause : FindPauses(model_.collections, report_.from_ns, report_.to_ns)) {
      const int64_t from = std::max(report_.from_ns, pause.suspension->at_ns);
      const int64_t to = std::min(report_.to_ns, pause.end_ns());
      if (to > from) report_.paused_ns += static_cast<uint64_t>(to - from);
    }
  }

  void TakePlaces() {
    for (const auto& [key, sums] : places_) {
      WallPlace place{.state = sums.most->state,
                      .site = sums.most->site,
                      .through = sums.most->through,
                      .total_ns = sums.total_ns,
                      .proved_ns = sums.proved_ns,
                      .threads = {},
                      .path = sums.most->path};
      std::vector<std::pair<uint64_t, ThreadIndex>> threads;
      for (const auto& [thread, ns] : sums.threads) threads.emplace_back(ns, thread);
      std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      for (const auto& [ns, thread] : threads) place.threads.push_back(thread);
      report_.places.push_back(std::move(place));
    }
    std::stable_sort(
        report_.places.begin(), report_.places.end(),
        [](const WallPlace& a, const WallPlace& b) { return a.total_ns > b.total_ns; });
  }

  void TakeThreads() {
    for (auto& [index, thread] : threads_) report_.threads.push_back(thread);
    std::stable_sort(report_.threads.begin(), report_.threads.end(),
                     [](const WallThread& a, const WallThread& b) {
                       return a.times.not_idle() > b.times.not_idle();
                     });
  }

  const Model& model_;
  WallReport report_;
  StandingFinder standings_;
  std::map<ThreadIndex, WallThread> threads_;
  std::map<ThreadIndex, uint64_t> most_at_;
  std::map<PlaceKey, PlaceSums> places_;
};

}  // namespace

std::string_view WallStateName(WallState state) {
  switch (state) {
    case WallState::kRunning:
      return "running";
    case WallState::kReady:
      return "ready";
    case WallState::kLock:
      return "lock";
    case WallState::kTask:
      return "task";
    case WallState::kSignal:
      return "signal";
    case WallState::kSleep:
      return "sleep";
    case WallState::kNative:
      return "native";
    case WallState::kIdle:
      return "idle";
    case WallState::kNotSeen:
      return "not seen";
  }
  return {};
}

WallReport AnalyzeWallTime(const Model& model) { return WallTimeAnalysis(model).Run(); }

}  // namespace hindsight::analyzer
