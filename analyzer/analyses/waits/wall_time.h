// Wall-clock time: what threads did with all of their time, not only with that on a processor.
//
// Between two thread snapshots the kernel tells of each thread how long it ran, and how long it
// could run and had no processor: exact. The rest it waited. What for, the stacks at both ends
// tell: where a thread did not run in between it is proved, else the two stand for half of the time
// each. So a place's share has an error, which falls with the number of snapshots (`waits.every`).
//
// Threads that began and ended between two snapshots are not here.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

enum class WallState : uint8_t {
  kRunning,  // it used a processor
  kReady,    // it could run, and had none
  kLock,     // it waited for a lock
  kTask,
  kSignal,  // an event, a semaphore, a pulse, a thread's end
  kSleep,
  kNative,  // the kernel or native code, from a call that is no wait of .NET: I/O, as a rule
  kIdle,    // nothing to do: a worker of the pool without work, a thread of the framework's or the
            // runtime's own, Main that waits for the program's end
  kNotSeen,
};
inline constexpr size_t kWallStates = 9;

// "running", "ready", "lock", ...
std::string_view WallStateName(WallState state);

// ns, by state.
struct WallTimes {
  std::array<uint64_t, kWallStates> ns{};

  uint64_t& operator[](WallState state) { return ns[static_cast<size_t>(state)]; }
  uint64_t operator[](WallState state) const { return ns[static_cast<size_t>(state)]; }
  uint64_t all() const { return std::accumulate(ns.begin(), ns.end(), uint64_t{0}); }
  uint64_t not_idle() const { return all() - (*this)[WallState::kIdle]; }
};

// Where threads waited, in one way. Not those that were idle.
struct WallPlace {
  WallState state = WallState::kSignal;
  MethodId site = 0;     // the method that waits, to a programmer (places.h)
  MethodId through = 0;  // what it called of others' code; 0: the wait itself
  uint64_t total_ns = 0;
  uint64_t proved_ns = 0;            // of that; the rest is an estimate
  std::vector<ThreadIndex> threads;  // most time first
  std::vector<MethodId> path;        // of the stack with most time, innermost first
};

// Time of one thread off the processor, of which its stack was seen and that was not idle.
struct WallStack {
  ThreadIndex thread = 0;
  WallState state = WallState::kSignal;
  uint64_t total_ns = 0;
  std::vector<MethodId> path;  // innermost first
};

struct WallThread {
  ThreadIndex thread = 0;
  WallTimes times;
  MethodId site = 0;  // where it waited most, idle or not; 0: nobody knows
};

struct WallReport {
  explicit WallReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // outlives the report
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;   // the first and the last snapshot; equal: nothing is known
  WallTimes times;                  // of all threads together
  uint64_t paused_ns = 0;           // all managed threads stood still; a part of the waiting
  std::vector<WallPlace> places;    // most time first
  std::vector<WallStack> stacks;    // what they are made of, by thread
  std::vector<WallThread> threads;  // those with the most time that was not idle first

  bool is_seen() const { return to_ns > from_ns && times.all() > 0; }
};

WallReport AnalyzeWallTime(const Model& model);

}  // namespace hindsight::analyzer
