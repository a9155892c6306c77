// Thread stacks in the newest thread snapshot, and threads that are probably stuck for good or
// leaked.
//
// A problem takes several threads in the same place: one thread that waits for long is what most
// applications have. And it takes proof: by the kernel's count they have not run for long. (Whether
// their call has a timeout is often not known: the overload that has none is inlined.) Workers of
// the pool, the main thread, threads without a frame of the application, and waits for a lock or a
// task are not judged here.
//
// A leak needs no such long look where its growth shows: one place starts thread after thread, up
// to the recording's end, and all of them wait. Threads that were all started at once, as a set of
// workers, are none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct StackThread {
  ThreadIndex thread = 0;
  ThreadRunState state = ThreadRunState::kUnknown;
  uint64_t cpu_ns = 0;             // since it began; 0: unknown
  std::optional<uint64_t> ran_ns;  // of that since the previous snapshot
  uint64_t unchanged_ns = 0;       // it has had this stack, and has not run, for so long at least
};

// Threads with the same stack.
struct ThreadStack {
  StackId stack = 0;           // 0: no managed frame, or not known
  std::vector<MethodId> path;  // innermost first
  BlockingCall call;
  bool has_own_frame = false;  // of the application, not of the framework
  bool is_pool_worker = false;
  std::vector<StackThread> threads;  // longest unchanged first
};

struct ThreadProblem {
  enum class Kind {
    kZombie,      // they wait without end for what nobody has done for long
    kLeak,        // they do, and all were started at one place, which starts more and more
    kForeground,  // Main has returned, and the process does not end
    kFinalizer,   // the one that runs finalizers waits in one of them
  };
  Kind kind = Kind::kZombie;
  std::vector<StackThread> threads;  // longest unchanged first
  StackId stack = 0;                 // where they stand
  StackId creator = 0;               // kLeak: where they were started
  uint64_t ended = 0;                // kLeak: threads started there that have ended
  uint64_t started_over_ns = 0;      // kLeak, by its growth: from the first start to the end
  bool endless = false;              // their call has no timeout, as its name proves
};

struct ThreadStackReport {
  // Null: there is none.
  const ThreadSnapshot* snapshot = nullptr;
  std::vector<ThreadStack> stacks;      // most threads first
  std::vector<ThreadProblem> problems;  // most threads first
  bool main_has_returned = false;
};

struct ThreadStackRules {
  uint64_t unchanged_ns = 60'000'000'000;  // from so long on a thread counts as dead
  size_t least_zombies = 2;
  uint64_t finalizer_ns = 10'000'000'000;  // a finalizer that has waited for so long
  // Of a leak: threads started at one place (places.h) that wait, at least so many for each that
  // has ended. Those that wait where so many times fewer do are not among them.
  size_t least_leaked = 20;
  size_t fewer_elsewhere = 4;
  uint64_t alive_for_ended = 10;
  // By its growth: since the first of them started, and so many of them in the last third of that.
  uint64_t growth_ns = 5'000'000'000;
  double late_share = 0.2;
};

// Pointers into `model`.
ThreadStackReport AnalyzeThreadStacks(const Model& model, const ThreadStackRules& rules);

}  // namespace hindsight::analyzer
