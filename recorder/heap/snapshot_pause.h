// The moment of a snapshot: from the collection at whose end it is taken to the copy of the
// process.
//
// Driven by the runtime's callbacks on the collecting thread, while all managed threads are
// suspended: no allocation, no lock except the kernel's, and no calls into the runtime except
// GetGenerationBounds. The snapshot's thread arms it and picks up the result.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/heap/callback_walk.h"
#include "recorder/heap/gc_mask.h"
#include "recorder/heap/object_batch.h"
#include "recorder/heap/root_buffer.h"
#include "recorder/heap/snapshot_child.h"
#include "recorder/heap/snapshot_memory.h"
#include "recorder/sources/allocations/survivor_tracker.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

// What is known about the pause, in nanoseconds; see proto HeapSnapshotEnd.
struct PauseTimes {
  uint64_t suspend_ns = 0, collect_ns = 0, roots_ns = 0, fork_ns = 0, pause_ns = 0;
};

class SnapshotPause {
 public:
  enum class State : uint32_t {
    kIdle,
    kArmed,       // the next suitable collection will be used
    kCollecting,  // it runs; the runtime reports its roots
    kTaken,       // the child runs, or the walk during the pause is done
    kFailed,
  };

  SnapshotPause(clr::ICorProfilerInfo10* info, GcMask& mask, Waker& waker)
      : info_(info), mask_(mask), waker_(waker) {}
  ~SnapshotPause();

  struct Plan {
    SnapshotTask task;
    bool fork = true;                   // false: walk in the pause
    CallbackWalk* callbacks = nullptr;  // or use what the runtime reports
    bool any_generation = false;        // also collections of generation 2
    uint64_t max_pause_ns = 0;          // for the walk
  };

  // Before the first Prepare; without it, survivors are not recorded.
  void UseSurvivors(SurvivorTracker& survivors) { survivors_ = &survivors; }

  // Snapshot's thread. Maps what the pause needs; false: no memory.
  bool Prepare();
  void Arm(const Plan& plan);
  // False: too late, the snapshot is being taken.
  bool Disarm();
  void Release();

  State state() const { return state_.load(std::memory_order_acquire); }
  // After kTaken or kFailed, and until the next Arm.
  bool resumed() const { return resumed_.load(std::memory_order_acquire); }
  PauseTimes times() const { return times_; }
  // The part of that pause which is not our cost: a collection that the application had anyway.
  uint64_t of_application_ns() const { return of_application_ns_; }
  uint32_t collection() const { return collection_; }
  uint64_t taken_ns() const { return taken_ns_; }
  std::span<const WalkedRange> ranges() const { return {ranges_, range_count_}; }
  RootBuffer& roots() { return roots_; }
  SurvivorsImage* survivors() { return survivors_image_; }  // null: allocations are not followed
  SnapshotChild& child() { return child_; }
  SnapshotTask& task() { return plan_.task; }
  int clone_error() const { return clone_error_; }
  bool mask_failed() const { return mask_failed_; }

  // ---- Callbacks of the runtime ----
  void CollectionStarted(uint32_t number, uint32_t generation, bool inside_another);
  void CollectionFinished();
  void Roots(uint32_t count, const clr::ObjectID* objects, const clr::COR_PRF_GC_ROOT_KIND* kinds,
             const clr::COR_PRF_GC_ROOT_FLAGS* flags, const uintptr_t* ids);
  void Dependents(uint32_t count, const clr::ObjectID* keys, const clr::ObjectID* values);
  // False: the runtime can skip the walk over the objects.
  bool Object(clr::ObjectID object, clr::ClassID type, std::span<const clr::ObjectID> references);
  void SuspendStarted();
  void SuspendFinished();
  void ResumeStarted() { stopped_.store(false, std::memory_order_release); }
  // `counted_ns`: what has been counted of this pause as our cost.
  void Resumed(uint64_t counted_ns);

 private:
  void TakeRanges();

  clr::ICorProfilerInfo10* const info_;
  GcMask& mask_;
  Waker& waker_;
  std::atomic<State> state_{State::kIdle};
  Plan plan_;
  std::atomic<bool> any_generation_{false};  // of the plan: read before the plan is known to be
                                             // armed
  RootBuffer roots_;
  SnapshotChild child_;
  clr::COR_PRF_GC_GENERATION_RANGE* bounds_ = nullptr;
  WalkedRange* ranges_ = nullptr;
  uint32_t range_count_ = 0;
  SurvivorTracker* survivors_ = nullptr;
  SurvivorsImage* survivors_image_ = nullptr;

  PauseTimes times_;
  uint64_t of_application_ns_ = 0;
  uint64_t collection_started_ns_ = 0;
  std::atomic<uint64_t> suspend_started_ns_{0}, suspend_finished_ns_{0};
  uint64_t taken_ns_ = 0;
  uint32_t collection_ = 0;
  // CALLBACKS only: the collection used is over, but its pause is not. A plan armed in the meantime
  // has its own.
  std::atomic<bool> resume_due_{false};
  std::atomic<bool> resumed_{false};
  std::atomic<bool> stopped_{false};  // all managed threads are stopped
  int clone_error_ = 0;
  bool mask_failed_ = false;
  bool requested_ = false;  // CALLBACKS only: we asked for the collection used
};

}  // namespace hindsight::recorder
