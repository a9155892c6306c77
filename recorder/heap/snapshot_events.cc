#include <algorithm>
#include <cstdio>
#include <ctime>

#include "recorder/base/clock.h"
#include "recorder/base/own_collection.h"
#include "recorder/heap/collect.h"
#include "recorder/heap/snapshot_making.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kPassiveWaitNs = 5'000 * kMillisecond;
constexpr uint64_t kCollectNs = 10'000 * kMillisecond;
constexpr uint64_t kWalkNs = 2'000 * kMillisecond;
// Of the control group's or the machine's memory: with less than this left, the copy is given up
// before the kernel has to choose a process to kill. An application that writes to 2 GB of its
// memory per second, all of it shared with the copy, uses this up in 16 ms.
constexpr uint64_t kReserveBytes = 32 * kMiB;

}  // namespace

bool SnapshotMaker::Take(Attempt& attempt) {
  using contract::HeapMethod;
  const HeapMethod wanted = options_.method;
  if (wanted == HeapMethod::kAuto || wanted == HeapMethod::kFork) {
    if (attempt.no_copy.empty()) {
      if (CollectAndTake(attempt, SnapshotMethod::kFork)) return true;
      if (pause_.clone_error() == 0) return false;
      attempt.no_copy =
          "The process could not be copied: " + ErrorText(pause_.clone_error()) + ". ";
    }
    attempt.fallback += attempt.no_copy;
    if (wanted == HeapMethod::kFork) {
      attempt.status.reason = attempt.fallback + "heap.method=auto would walk in the pause.";
      return false;
    }
  }
  if (wanted != HeapMethod::kCallbacks) {
    FindFrozen(*attempt.shared);
    if (!batch_.Keep(attempt.memory_limit_bytes)) {
      attempt.status.reason = "There is no memory for what the walk finds in the pause.";
      return false;
    }
    return CollectAndTake(attempt, SnapshotMethod::kInPause);
  }
  if (!callbacks_.Reserve(options_.max_memory_bytes, StringClass())) {
    attempt.status.reason = "There is no address space for the roots that the runtime reports.";
    return false;
  }
  return CollectAndTake(attempt, SnapshotMethod::kCallbacks);
}

clr::ClassID SnapshotMaker::StringClass() {
  clr::ClassID type = 0;
  for (const clr::ModuleID module : PermanentModules(names_, info_)) {
    const auto hold = names_.gate().Enter(kForEver);
    Scope* const scope = names_.ScopeOf(*hold, module);
    const clr::mdTypeDef token = scope != nullptr ? scope->FindTypeDef("System.String") : 0;
    if (token == 0) continue;
    info_->GetClassFromToken(module, token, &type);
    break;
  }
  return type;
}

// Requests young collections; where that is not possible waits for one, and finally forces a full
// one.
bool SnapshotMaker::CollectAndTake(Attempt& attempt, SnapshotMethod method) {
  const bool fork = method == SnapshotMethod::kFork;
  SnapshotPause::Plan plan;
  plan.task = {.shared = attempt.shared,
               .batch = &batch_,
               .file = file_.file(),
               .identity = file_.identity(),
               .timeout_ns = options_.timeout_ns,
               .hurries = attempt.order.hurries};
  plan.fork = fork;
  if (method == SnapshotMethod::kCallbacks) plan.callbacks = &callbacks_;
  plan.max_pause_ns = options_.max_pause_ns;
  // The first one makes the second one short: little is left to collect.
  bool asked = CollectYoung(info_, kCollectNs);
  attempt.status.method = method;
  WalkThreads(attempt);
  pause_.Arm(plan);
  constexpr int kAttempts = 5;  // a background collection may be in progress
  for (int i = 0; i < kAttempts && asked && !*attempt.order.stop; ++i) {
    if (i > 0 && pause_.Disarm()) {
      WalkThreads(attempt);
      pause_.Arm(plan);
    }
    asked = CollectYoung(info_, kCollectNs);
    if (WaitForPause(attempt, MonotonicNs() + 200 * kMillisecond)) break;
  }
  if (pause_.state() == SnapshotPause::State::kArmed) {
    if (!asked) attempt.fallback += "A collection cannot be induced in this application. ";
    if (fork) attempt.status.method = SnapshotMethod::kForkPassive;
    if (!WaitForPause(attempt, MonotonicNs() + kPassiveWaitNs) && !*attempt.order.stop &&
        pause_.Disarm()) {
      attempt.fallback += "No collection occurred; a full one was forced. ";
      attempt.status.method = method;
      plan.any_generation = true;
      WalkThreads(attempt);
      pause_.Arm(plan);
      const OwnCollection own;
      info_->ForceGC();
    }
  }
  if (!WaitForPause(attempt, attempt.deadline_ns) && pause_.Disarm()) {
    attempt.status.reason = *attempt.order.stop
                                ? "The recording ended."
                                : "No collection occurred in time; is the process stopped?";
    return false;
  }
  // It has begun: nothing that it uses may be touched until the threads run again.
  while (!pause_.resumed()) waker_.Wait(20 * kMillisecond);
  if (pause_.state() == SnapshotPause::State::kTaken) {
    walked_.FindWhoRan();
    attempt.child_lives = fork;
    attempt.child_started_ns = pause_.taken_ns();
    return true;
  }
  attempt.status.reason =
      pause_.mask_failed() ? "The runtime's event mask has changed unexpectedly; it was left alone."
                           : "The runtime did not report the ranges of its heap.";
  return false;
}

// While nothing is armed: the child reads what is written here.
void SnapshotMaker::WalkThreads(Attempt& attempt) {
  walked_.Clear();
  walked_ns_ = MonotonicNs();
  const ThreadSnapshotTaker* const snapshot =
      thread_snapshots_ == nullptr ? nullptr
                                   : thread_snapshots_->TakeForHeap(attempt.order.number, kWalkNs);
  if (snapshot != nullptr) {
    walked_.Take(*snapshot);
    thread_snapshots_->DoneForHeap();
  }
  walked_.Plan(attempt.shared->threads);
}

bool SnapshotMaker::WaitForPause(Attempt& attempt, uint64_t until_ns) {
  while (!pause_.resumed()) {
    const uint64_t now = MonotonicNs();
    const bool begun = pause_.state() != SnapshotPause::State::kArmed;
    if (now >= until_ns || (*attempt.order.stop && !begun)) return false;
    waker_.Wait(std::min(until_ns - now, 20 * kMillisecond));
  }
  return true;
}

void SnapshotMaker::AwaitEnd(Attempt& attempt) {
  while (attempt.child_lives && Supervise(attempt)) waker_.Wait(5 * kMillisecond);
  CountSegments(attempt);
}

// What the walk has written is in the same file.
void SnapshotMaker::CountSegments(Attempt& attempt) {
  const uint64_t written = attempt.shared->counters.segments;
  file_.SkipSegments(written - attempt.counted_segments);
  attempt.counted_segments = written;
}

// False: the child has ended.
bool SnapshotMaker::Supervise(Attempt& attempt) {
  SnapshotChild& child = pause_.child();
  const uint64_t now = MonotonicNs();
  const uint64_t copied = child.CopiedAtMost();
  if (now >= attempt.next_look_ns ||
      (copied >= attempt.next_look_copied && now >= attempt.earliest_look_ns)) {
    const uint64_t bytes = child.PrivateBytes();
    attempt.child_private_bytes = std::max(attempt.child_private_bytes, bytes);
    // Reading the child's memory use costs the kernel a walk over its pages: at most a hundredth of
    // the time, or a tenth while the application writes to much that is shared.
    const uint64_t cost = MonotonicNs() - now;
    attempt.next_look_ns = now + std::max(100 * kMillisecond, 100 * cost);
    attempt.earliest_look_ns = now + 10 * cost;
    attempt.next_look_copied = copied + attempt.memory_limit_bytes / 4;
    if (bytes > attempt.memory_limit_bytes) {
      attempt.End(SnapshotResult::kStoppedByMemory,
                  "The snapshot process used " + MiBs(bytes) + " of private memory, more than " +
                      MiBs(attempt.memory_limit_bytes) +
                      " (heap.max_memory, or half of what is left).");
    }
  }
  if (now >= attempt.next_room_ns && attempt.result == SnapshotResult::kUnknown) {
    const uint64_t room = ReadAvailableMemory();
    // A tenth of the time at most.
    attempt.next_room_ns = now + 10 * (MonotonicNs() - now);
    if (room < kReserveBytes) {
      attempt.End(SnapshotResult::kStoppedByMemory,
                  "Only " + MiBs(room) +
                      " of memory were left under the limit, so the copy of the "
                      "process was given up.");
    }
  }
  if (now > attempt.deadline_ns) {
    attempt.End(
        SnapshotResult::kStoppedByTime,
        "It was not complete after " + Milliseconds(options_.timeout_ns) + " (heap.timeout).");
  }
  if (*attempt.order.stop) {
    attempt.End(SnapshotResult::kStoppedByRequest, "The recording ended.");
  }
  if (attempt.result != SnapshotResult::kUnknown) child.Kill();
  if (!child.Reap(&attempt.child_status)) return true;
  attempt.child_lives = false;
  attempt.child_wall_ns = MonotonicNs() - attempt.child_started_ns;
  return false;
}

void SnapshotMaker::EndChild(Attempt& attempt) {
  if (!attempt.child_lives) return;
  pause_.child().Kill();
  constexpr int kPatience = 2000;
  for (int i = 0; i < kPatience && attempt.child_lives; ++i) {
    if (!Supervise(attempt)) break;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

// The walk's own reason for its end, unless the maker has ended it.
void SnapshotMaker::Explain(Attempt& attempt) {
  SnapshotShared& shared = *attempt.shared;
  char address[32];
  snprintf(address, sizeof address, "0x%llx",
           static_cast<unsigned long long>(shared.error_address.load()));
  switch (static_cast<WalkError>(shared.error.load())) {
    case WalkError::kNone:
      break;
    case WalkError::kDisk:
      attempt.End(SnapshotResult::kStoppedByDisk,
                  "The file could not be written: " +
                      ErrorText(static_cast<int>(shared.error_number.load())) +
                      "; free up space, or raise limit.disk (snapshots use up to half of it).");
      return;
    case WalkError::kMemory:
      attempt.End(SnapshotResult::kStoppedByMemory, kTooManyObjects);
      return;
    case WalkError::kTime:
      attempt.End(SnapshotResult::kStoppedByTime, "The heap walk exceeded its time limit.");
      return;
    case WalkError::kRequest:
      attempt.End(SnapshotResult::kStoppedByRequest, "The recording ended.");
      return;
    case WalkError::kTooManyClasses:
    case WalkError::kTooManySlots:
      attempt.End(SnapshotResult::kCheckFailed, "The process has too many classes.");
      return;
    case WalkError::kNoMethodTable:
    case WalkError::kUnreadable:
    case WalkError::kBadDescription:
    case WalkError::kBadSize:
      attempt.End(SnapshotResult::kCheckFailed,
                  std::string("Unexpected heap structure at ") + address +
                      "; everything before that is valid. Please report it.");
      return;
  }
  if (const int signal = SnapshotChild::SignalThatEnded(attempt.child_status); signal != 0) {
    attempt.End(SnapshotResult::kChildDied,
                "The snapshot process was killed by signal " + std::to_string(signal) + ".");
  } else if (attempt.child_started_ns != 0 && pause_.task().shared != nullptr &&
             shared.phase.load() != SnapshotShared::kEnded &&
             (attempt.status.method == SnapshotMethod::kFork ||
              attempt.status.method == SnapshotMethod::kForkPassive)) {
    attempt.End(SnapshotResult::kChildDied, "The snapshot process ended early.");
  }
  if (pause_.roots().lost() != 0) {
    attempt.End(SnapshotResult::kCheckFailed,
                std::to_string(pause_.roots().lost()) +
                    " roots did not fit; objects held only by them appear to be garbage.");
  }
  if (!file_.error().empty()) {
    attempt.End(SnapshotResult::kStoppedByDisk, "The snapshot " + file_.error() + ".");
  }
  attempt.End(SnapshotResult::kComplete, {});
}

}  // namespace hindsight::recorder
