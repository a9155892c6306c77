// Lock contention: the most expensive places and locks, owners, and unfinished waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/contended_locks.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// The stack of a wait without the runtime's frames that report it, so that it begins with the wait
// itself. A path is as returned by Dictionaries::Path.
std::vector<MethodId> WaitPath(const Dictionaries& dictionaries, StackId stack);
std::vector<MethodId> WaitPath(const Dictionaries& dictionaries, std::vector<MethodId> path);

// The place of a path that may end in a waiting call: the place of the part after that call, and
// after any other framework code that waits, runs or schedules for others, unless there is nothing
// else: then it is a thread of the framework. If the path does not wait, its own place.
Place WaitSiteOf(Places& places, const BlockingCalls& calls, std::span<const MethodId> path);
std::span<const MethodId> BehindWait(const BlockingCalls& calls, std::span<const MethodId> path);

// One of the stacks that wait at a place.
struct WaitVariant {
  StackId stack = 0;
  std::vector<MethodId> path;  // from WaitPath
  uint64_t count = 0;          // including unfinished waits
  uint64_t total_ns = 0;       // likewise
};

// What the owner of a lock did while others waited for it, as far as that was observed.
struct SeenHolder {
  uint64_t waited_ns = 0;      // by others meanwhile, in the waits where it was observed
  std::vector<MethodId> path;  // of the owner, innermost first
  MethodId site = 0;
  BlockingCall call;  // the owner itself may sleep or wait
};

// Waits of one kind, in one kind of call, at one place (places.h).
struct WaitPlace {
  WaitGroup group;                    // finished waits; the stack is the first variant's
  std::vector<const OpenWait*> open;  // oldest first
  uint64_t open_ns = 0;               // duration of these, until the recording's end
  BlockingCall call;
  std::vector<WaitVariant> variants;  // at least one, most time first
  std::vector<MethodId> path;         // of the first variant, innermost first
  MethodId site = 0;                  // the method that waits, from a programmer's view
  MethodId through = 0;               // what it called in others' code; 0: the wait itself
  std::optional<SeenHolder> holder;   // the one for which the most waiting was observed
  // Waiting during which the owner, when the wait began, was seen to be a pool worker without work.
  // It released the lock and another thread has it; if the waits do not end, it never released it.
  uint64_t idle_owner_ns = 0;
  uint32_t seen_at_once = 0;  // threads that wait here for a lock in one thread snapshot

  uint64_t count() const { return group.count + open.size(); }
  uint64_t total_ns() const { return group.total_ns + open_ns; }
  uint64_t longest_ns() const;
  // A reader-writer lock is made of events: the call shows that it is one.
  bool is_lock() const {
    return group.kind == WaitKind::kMonitor || group.kind == WaitKind::kLock ||
           call.kind == BlockingCall::Kind::kReaderWriter;
  }
  bool is_for_task() const { return group.kind == WaitKind::kTask || IsForTask(call.kind); }
  int64_t end_ns = 0;  // of the recording
};

// Owners that were at one place.
struct LockHolder {
  HolderGroup group;           // its stack is the one with the most time
  std::vector<MethodId> path;  // of that stack
  MethodId site = 0;
  MethodId doing = 0;  // what it was in, in others' code; 0: the site itself
};

struct HotLock : LockGroup {  // includes unfinished waits
  MethodId site = 0;          // the place that waited most for it; 0: unknown
};

struct LockReport {
  explicit LockReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive the report
  MethodNames names;
  std::vector<WaitPlace> locks;    // places that wait for locks, most time first
  std::vector<WaitPlace> signals;  // places that wait for anything else, likewise
  std::vector<LockHolder> holders;
  std::vector<HotLock> hottest;          // locks, most time first
  std::vector<ContendedLock> contended;  // the locks of `locks`, most time first
  uint64_t lock_waits = 0, lock_ns = 0, lock_open = 0;
};

LockReport AnalyzeLocks(const Model& model);

// How long an unfinished wait has lasted.
uint64_t AgeOf(const OpenWait& wait, int64_t end_ns);

// What the owner's call does: "sleeps", "waits for a task". Empty: it runs, or this is unknown.
std::string_view HolderDoes(BlockingCall::Kind call);

// "monitor", "task", "wait handle": what the wait is for, by its call if that is known.
std::string_view WaitName(WaitKind kind, BlockingCall::Kind call);

}  // namespace hindsight::analyzer
