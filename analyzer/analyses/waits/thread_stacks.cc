#include "analyzer/analyses/waits/thread_stacks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/unchanged.h"
#include "analyzer/base/name_list.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

bool LongestFirst(const StackThread& a, const StackThread& b) {
  return a.unchanged_ns != b.unchanged_ns ? a.unchanged_ns > b.unchanged_ns : a.thread < b.thread;
}

class ThreadStackAnalysis {
 public:
  ThreadStackAnalysis(const Model& model, const ThreadStackRules& rules)
      : model_(model), rules_(rules), calls_(model.dictionaries), places_(model) {}

  ThreadStackReport Analyze();

 private:
  StackThread Of(const ThreadInSnapshot& state) const;
  bool IsFrameworks(MethodId method);  // or native code
  bool HasMainReturned() const;
  bool IsJudged(const ThreadStack& stack) const;
  bool IsEndless(StackId stack) const;
  void FindProblems();
  struct Crowd;
  Crowd Gather(std::map<PlaceId, Crowd>& by_place) const;
  std::optional<int64_t> GrowsSince(const Crowd& crowd) const;
  void FindLeaks();
  void FindStuck();
  void FindStill();
  bool RunsFinalizer(const ThreadStack& stack) const;
  void FindFinalizer();
  void FindFull();

  const Model& model_;
  const ThreadStackRules& rules_;
  const BlockingCalls calls_;
  Places places_;
  ThreadStackReport report_;
  std::vector<bool> reported_;  // by ThreadIndex: already part of a problem
};

StackThread ThreadStackAnalysis::Of(const ThreadInSnapshot& state) const {
  StackThread thread;
  thread.thread = state.thread;
  thread.state = state.state;
  thread.cpu_ns = state.cpu_ns;
  if (state.cpu_before_ns != 0 && state.cpu_ns >= state.cpu_before_ns) {
    thread.ran_ns = state.cpu_ns - state.cpu_before_ns;
  }
  thread.unchanged_ns = UnchangedNs(*report_.snapshot, state);
  return thread;
}

bool ThreadStackAnalysis::IsFrameworks(MethodId method) {
  const FrameKind kind = places_.kinds().Of(method);
  return kind != FrameKind::kPackage && !places_.kinds().IsYours(method);
}

// The main thread of a process is known by its id. Once Main has returned, it is no longer a
// managed thread (measured on .NET 8 to 10); in a program that hosts the runtime, it may never have
// been one.
bool ThreadStackAnalysis::HasMainReturned() const {
  const auto& threads = report_.snapshot->threads;
  return model_.facts.pid != 0 &&
         std::none_of(threads.begin(), threads.end(), [&](const ThreadInSnapshot& state) {
           return model_.IsMainThread(state.thread);
         });
}

bool ThreadStackAnalysis::IsJudged(const ThreadStack& stack) const {
  using Kind = BlockingCall::Kind;
  const Kind kind = stack.call.kind;
  const bool awaits_signal = kind == Kind::kMonitorWait || kind == Kind::kEventSlim ||
                             kind == Kind::kJoin || kind == Kind::kWaitHandle ||
                             kind == Kind::kWaitHandles;
  return awaits_signal && stack.has_own_frame && !stack.is_pool_worker;
}

ThreadStackReport ThreadStackAnalysis::Analyze() {
  if (model_.waits.snapshots.empty()) return std::move(report_);
  report_.snapshot = &model_.waits.snapshots.back();
  report_.main_has_returned = HasMainReturned();
  std::unordered_map<StackId, size_t> places;
  for (const ThreadInSnapshot& state : report_.snapshot->threads) {
    const auto [place, is_new] = places.try_emplace(state.stack, report_.stacks.size());
    if (is_new) {
      ThreadStack& stack = report_.stacks.emplace_back();
      stack.stack = state.stack;
      stack.path = model_.dictionaries.Path(state.stack);
      stack.call = calls_.Find(stack.path);
      stack.has_own_frame = !std::ranges::all_of(
          stack.path, [this](MethodId method) { return IsFrameworks(method); });
      stack.is_pool_worker = calls_.IsOnPoolWorker(stack.path);
    }
    report_.stacks[place->second].threads.push_back(Of(state));
  }
  for (ThreadStack& stack : report_.stacks) {
    std::sort(stack.threads.begin(), stack.threads.end(), LongestFirst);
  }
  std::stable_sort(report_.stacks.begin(), report_.stacks.end(),
                   [](const ThreadStack& a, const ThreadStack& b) {
                     return a.threads.size() > b.threads.size();
                   });
  FindProblems();
  return std::move(report_);
}

void ThreadStackAnalysis::FindProblems() {
  reported_.resize(model_.threads.size());
  FindFinalizer();
  FindFull();
  FindLeaks();
  FindStuck();
  FindStill();
  std::sort(report_.problems.begin(), report_.problems.end(),
            [](const ThreadProblem& a, const ThreadProblem& b) {
              if (a.threads.size() != b.threads.size()) return a.threads.size() > b.threads.size();
              return a.stack != b.stack ? a.stack < b.stack : a.creator < b.creator;
            });
}

bool ThreadStackAnalysis::IsEndless(StackId stack) const {
  return calls_.Find(model_.dictionaries.Path(stack)).endless;
}

// Threads that were started at one place and wait at one place, or at places with similarly many.
struct ThreadStackAnalysis::Crowd {
  StackId stack = 0;               // of most that wait; preferably one with code of yours
  bool has_own_frame = false;      // whether it has
  StackId stuck_stack = 0;         // of one of those that are stuck
  std::vector<StackThread> waits;  // all that wait, for anything and for any time
  std::vector<StackThread> stuck;  // of these, those that are judged and count as dead
};

// When the first of them started, if more and more were started until the end.
std::optional<int64_t> ThreadStackAnalysis::GrowsSince(const Crowd& crowd) const {
  std::vector<int64_t> starts;
  for (const StackThread& thread : crowd.waits) {
    const ThreadInfo& info = model_.threads[thread.thread];
    if (info.has_start) starts.push_back(info.start_ns);
  }
  if (starts.empty()) return std::nullopt;
  const int64_t first = *std::min_element(starts.begin(), starts.end());
  const int64_t over = model_.facts.last_ns - first;
  if (over < static_cast<int64_t>(rules_.growth_ns)) return std::nullopt;
  const auto late = std::count_if(starts.begin(), starts.end(),
                                  [&](int64_t at) { return at > first + over / 3 * 2; });
  if (static_cast<double>(late) < rules_.late_share * static_cast<double>(starts.size())) {
    return std::nullopt;
  }
  return first;
}

// A helper may start threads of all kinds: the few that wait elsewhere are unrelated. Not so where
// only the framework's frames are left: the JIT has inlined yours.
ThreadStackAnalysis::Crowd ThreadStackAnalysis::Gather(std::map<PlaceId, Crowd>& by_place) const {
  const auto most = std::max_element(by_place.begin(), by_place.end(), [](auto& a, auto& b) {
    return a.second.waits.size() < b.second.waits.size();
  });
  const auto clearest = std::max_element(by_place.begin(), by_place.end(), [](auto& a, auto& b) {
    return std::make_pair(a.second.has_own_frame, a.second.waits.size()) <
           std::make_pair(b.second.has_own_frame, b.second.waits.size());
  });
  const bool is_common =
      clearest->second.waits.size() * rules_.fewer_elsewhere >= most->second.waits.size();
  Crowd all;
  all.stack = (is_common ? clearest : most)->second.stack;
  for (auto& [place, crowd] : by_place) {
    const bool are_few = crowd.waits.size() * rules_.fewer_elsewhere < most->second.waits.size();
    if (are_few && crowd.has_own_frame) continue;
    all.waits.insert(all.waits.end(), crowd.waits.begin(), crowd.waits.end());
    if (all.stuck.empty()) all.stuck_stack = crowd.stuck_stack;
    all.stuck.insert(all.stuck.end(), crowd.stuck.begin(), crowd.stuck.end());
  }
  return all;
}

void ThreadStackAnalysis::FindLeaks() {
  std::map<PlaceId, uint64_t> ended;  // by the place where they were started
  for (const ThreadInfo& thread : model_.threads) {
    if (thread.creator_stack == 0) continue;
    ended[places_.Of(thread.creator_stack)] += thread.has_end;
  }
  // By the places where they were started and where they wait.
  std::map<PlaceId, std::map<PlaceId, Crowd>> crowds;
  for (const ThreadStack& stack : report_.stacks) {
    const bool waits = stack.call.kind != BlockingCall::Kind::kNone && !stack.is_pool_worker;
    if (!waits) continue;
    const PlaceId place = places_.Of(stack.stack);
    for (const StackThread& thread : stack.threads) {
      const StackId creator = model_.threads[thread.thread].creator_stack;
      if (creator == 0) continue;
      const PlaceId started_at = places_.Of(creator);
      // The JIT inlines a thread's short first method into the framework's.
      if (!stack.has_own_frame && !places_[started_at].is_yours) continue;
      Crowd& crowd = crowds[started_at][place];
      if (crowd.waits.empty()) {
        crowd.stack = stack.stack;
        crowd.has_own_frame = stack.has_own_frame;
      }
      crowd.waits.push_back(thread);
      if (IsJudged(stack) && thread.unchanged_ns >= rules_.unchanged_ns) {
        if (crowd.stuck.empty()) crowd.stuck_stack = stack.stack;
        crowd.stuck.push_back(thread);
      }
    }
  }
  for (auto& [started_at, by_place] : crowds) {
    Crowd crowd = Gather(by_place);
    const uint64_t least =
        std::max<uint64_t>(rules_.least_leaked, rules_.alive_for_ended * ended[started_at]);
    std::optional<int64_t> since;
    if (crowd.waits.size() >= least) since = GrowsSince(crowd);
    if (!since && crowd.stuck.size() < least) continue;
    if (!since) crowd.stack = crowd.stuck_stack;
    ThreadProblem problem{.kind = ThreadProblem::Kind::kLeak,
                          .threads = std::move(since ? crowd.waits : crowd.stuck),
                          .stack = crowd.stack,
                          .ended = ended[started_at],
                          .endless = IsEndless(crowd.stack)};
    if (since) problem.started_over_ns = static_cast<uint64_t>(model_.facts.last_ns - *since);
    problem.creator = model_.threads[problem.threads.front().thread].creator_stack;
    for (const StackThread& thread : problem.threads) reported_[thread.thread] = true;
    std::sort(problem.threads.begin(), problem.threads.end(), LongestFirst);
    report_.problems.push_back(std::move(problem));
  }
}

// Before .NET 10, finalizers are called by the runtime's own code.
bool ThreadStackAnalysis::RunsFinalizer(const ThreadStack& stack) const {
  if (stack.path.empty() || stack.threads.size() != 1) return false;
  const Dictionaries& dictionaries = model_.dictionaries;
  const ThreadInfo& thread = model_.threads[stack.threads.front().thread];
  const Method& outermost = dictionaries.method(stack.path.back());
  return dictionaries.String(thread.name) == kFinalizerThread ||
         (dictionaries.String(dictionaries.type(outermost.type).name) == "System.GC" &&
          dictionaries.String(outermost.name) == "RunFinalizers");
}

void ThreadStackAnalysis::FindFinalizer() {
  for (const ThreadStack& stack : report_.stacks) {
    if (stack.call.kind == BlockingCall::Kind::kNone || !RunsFinalizer(stack)) continue;
    const StackThread& thread = stack.threads.front();
    if (thread.unchanged_ns < rules_.finalizer_ns) continue;
    reported_[thread.thread] = true;
    report_.problems.push_back({.kind = ThreadProblem::Kind::kFinalizer,
                                .threads = {thread},
                                .stack = stack.stack,
                                .endless = IsEndless(stack.stack)});
  }
}

void ThreadStackAnalysis::FindFull() {
  std::map<PlaceId, ThreadProblem> problems;
  for (const ThreadStack& stack : report_.stacks) {
    if (calls_.CollectionOf(stack.path, stack.call) != BlockingCalls::Collection::kRoom) continue;
    for (const StackThread& thread : stack.threads) {
      if (thread.unchanged_ns < rules_.full_ns) continue;
      ThreadProblem& problem = problems[places_.Of(stack.stack)];
      problem.kind = ThreadProblem::Kind::kFull;
      problem.stack = stack.stack;
      problem.endless = stack.call.endless;
      problem.threads.push_back(thread);
      reported_[thread.thread] = true;
    }
  }
  for (auto& [place, problem] : problems) {
    std::sort(problem.threads.begin(), problem.threads.end(), LongestFirst);
    report_.problems.push_back(std::move(problem));
  }
}

// Grouped by the method of yours that they are in, because inlining around it gives one place
// several stacks. The stack is the most frequent one. A package's own threads may wait for work
// all the time; but they, too, may keep the process from ending.
void ThreadStackAnalysis::FindStuck() {
  std::vector<ThreadProblem> problems;
  std::unordered_map<MethodId, size_t> of_method;
  for (const ThreadStack& stack : report_.stacks) {
    if (!IsJudged(stack)) continue;
    const auto method = std::ranges::find_if(stack.path, [this](MethodId one) {
      return report_.main_has_returned ? !IsFrameworks(one) : places_.kinds().IsYours(one);
    });
    if (method == stack.path.end()) continue;
    const auto [found, is_new] = of_method.try_emplace(*method, problems.size());
    if (is_new) {
      problems.emplace_back().kind = report_.main_has_returned ? ThreadProblem::Kind::kForeground
                                                               : ThreadProblem::Kind::kZombie;
    }
    ThreadProblem& problem = problems[found->second];
    for (const StackThread& thread : stack.threads) {
      const bool is_main = model_.IsMainThread(thread.thread);
      if (reported_[thread.thread] || is_main || thread.unchanged_ns < rules_.unchanged_ns) {
        continue;
      }
      if (problem.threads.empty()) {
        problem.stack = stack.stack;
        problem.endless = stack.call.endless;
      }
      problem.threads.push_back(thread);
    }
  }
  for (ThreadProblem& problem : problems) {
    if (problem.threads.size() < rules_.least_zombies) continue;
    for (const StackThread& thread : problem.threads) reported_[thread.thread] = true;
    std::sort(problem.threads.begin(), problem.threads.end(), LongestFirst);
    report_.problems.push_back(std::move(problem));
  }
}

void ThreadStackAnalysis::FindStill() {
  using Kind = BlockingCall::Kind;
  std::map<MethodId, StillThreads> still;
  for (const ThreadStack& stack : report_.stacks) {
    const MethodId method = places_.kinds().InnermostYours(stack.path);
    const bool is_idle =
        calls_.CollectionOf(stack.path, stack.call) == BlockingCalls::Collection::kItem;
    if (method == 0 || is_idle || stack.call.kind == Kind::kNone ||
        stack.call.kind == Kind::kSleep) {
      continue;
    }
    for (const StackThread& thread : stack.threads) {
      const bool is_main = model_.IsMainThread(thread.thread);
      if (reported_[thread.thread] || is_main || thread.unchanged_ns < rules_.unchanged_ns) {
        continue;
      }
      StillThreads& place = still[method];
      place.method = method;
      place.least_ns =
          place.threads == 0 ? thread.unchanged_ns : std::min(place.least_ns, thread.unchanged_ns);
      ++place.threads;
    }
  }
  for (const auto& [method, place] : still) report_.still.push_back(place);
  std::ranges::stable_sort(report_.still, std::greater<>(), &StillThreads::threads);
}

}  // namespace

std::string StillText(const ThreadStackReport& report, const MethodNames& names) {
  if (report.still.empty()) return {};
  uint64_t threads = 0, least_ns = UINT64_MAX;
  std::vector<std::string> methods;
  for (const StillThreads& place : report.still) {
    methods.push_back(names.Display(place.method));
    threads += place.threads;
    least_ns = std::min(least_ns, place.least_ns);
  }
  return Plural(threads, "thread") + " of yours " + (threads == 1 ? "has" : "have") +
         " not run for " + FormatDuration(least_ns) + " or more, in " + MethodList(methods);
}

ThreadStackReport AnalyzeThreadStacks(const Model& model, const ThreadStackRules& rules) {
  return ThreadStackAnalysis(model, rules).Analyze();
}

}  // namespace hindsight::analyzer
