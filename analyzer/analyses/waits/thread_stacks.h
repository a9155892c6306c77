// Thread stacks in the newest thread snapshot, and threads that are probably stuck for good or
// leaked.
//
// A problem requires several threads in the same place, because most applications have a thread
// that waits for a long time. And it requires proof: according to the kernel, they have not run for
// a long time. (Whether their call has a timeout is often unknown: the overload without one is
// inlined.) Pool workers, the main thread, threads without a frame of the application, and waits
// for a lock or a task are not judged here.
//
// A leak needs less time if it visibly grows: one place starts thread after thread until the end of
// the recording, and all of them wait. Threads that were all started at the same time, such as a
// set of workers, are not a leak.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// As the runtime names the thread for the kernel.
inline constexpr std::string_view kFinalizerThread = ".NET Finalizer";

struct StackThread {
  ThreadIndex thread = 0;
  ThreadRunState state = ThreadRunState::kUnknown;
  uint64_t cpu_ns = 0;             // since it began; 0: unknown
  std::optional<uint64_t> ran_ns;  // of that since the previous snapshot
  uint64_t unchanged_ns = 0;       // for at least this long, it has had this stack and has not run
};

// Threads with the same stack.
struct ThreadStack {
  StackId stack = 0;           // 0: no managed frame, or unknown
  std::vector<MethodId> path;  // innermost first
  BlockingCall call;
  bool has_own_frame = false;  // of the application or a package, by their assemblies
  bool is_pool_worker = false;
  std::vector<StackThread> threads;  // longest unchanged first
};

struct ThreadProblem {
  enum class Kind {
    kZombie,      // they have waited for a long time: forever, or they are idle workers
    kLeak,        // the same, and all were started at one place, which keeps starting more
    kForeground,  // Main has returned, but the process does not end
    kFinalizer,   // the thread that runs finalizers waits in one of them
    kFull,        // they wait for room in a BlockingCollection, from which nothing is taken
  };
  Kind kind = Kind::kZombie;
  std::vector<StackThread> threads;  // longest unchanged first
  StackId stack = 0;                 // where they are
  StackId creator = 0;               // kLeak: where they were started
  uint64_t ended = 0;                // kLeak: threads started there that have ended
  uint64_t started_over_ns = 0;      // kLeak recognized by growth: from the first start to the end
  bool endless = false;              // their call has no timeout, as its name proves
};

// Threads that wait in a method of yours, and have not run for ThreadStackRules::unchanged_ns. They
// may be idle, or stuck: nothing tells which.
struct StillThreads {
  MethodId method = 0;
  uint64_t threads = 0;
  uint64_t least_ns = 0;  // none of them has run for this long
};

struct ThreadStackReport {
  // Null: there is none.
  const ThreadSnapshot* snapshot = nullptr;
  std::vector<ThreadStack> stacks;      // most threads first
  std::vector<ThreadProblem> problems;  // most threads first
  // Not among the problems, nor Main, nor what waits for an item of a collection; most first.
  std::vector<StillThreads> still;
  bool main_has_returned = false;
};

// "3 threads of yours have not run for 1 m 12 s or more, in Shop.Inbox.Take and Shop.Mail.Stop";
// empty: there are none.
std::string StillText(const ThreadStackReport& report, const MethodNames& names);

struct ThreadStackRules {
  uint64_t unchanged_ns = 60'000'000'000;  // from then on, a thread counts as dead
  size_t least_zombies = 2;
  // Of a recording of 10 s, the looks are a little less far apart.
  uint64_t finalizer_ns = 9'500'000'000;  // for a finalizer that waits
  uint64_t full_ns = 9'500'000'000;       // for a producer: it always has something to do
  // For a leak: waiting threads that were started at one place (places.h), and at least this many
  // for each that has ended. Excludes threads that wait where this many times fewer do.
  size_t least_leaked = 20;
  size_t fewer_elsewhere = 4;
  uint64_t alive_for_ended = 10;
  // For a leak recognized by growth: time since the first of them started, and the share of them
  // that started in the last third of it.
  uint64_t growth_ns = 5'000'000'000;
  double late_share = 0.2;
};

// Pointers into `model`.
ThreadStackReport AnalyzeThreadStacks(const Model& model, const ThreadStackRules& rules);

}  // namespace hindsight::analyzer
