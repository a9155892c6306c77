// A snapshot's moment: from the collection at whose end it is taken to the copy of the process.
//
// Driven by the runtime's callbacks on the thread that collects, while all managed threads stand
// still: no allocation, no lock but the kernel's, nothing asked of the runtime but
// GetGenerationBounds. The snapshot's thread arms it and picks the result up.
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
#include "recorder/sources/survivors.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

// What of the pause is known, in nanoseconds; see proto HeapSnapshotEnd.
struct PauseTimes {
  uint64_t suspend_ns = 0, collect_ns = 0, roots_ns = 0, fork_ns = 0, pause_ns = 0;
};

class SnapshotPause {
 public:
  enum class State : uint32_t {
    kIdle,
    kArmed,       // the next fitting collection is the one
    kCollecting,  // it runs; the runtime tells its roots
    kTaken,       // the child runs, or the walk in the pause is done
    kFailed,
  };

  SnapshotPause(clr::ICorProfilerInfo10* info, GcMask& mask, Waker& waker)
      : info_(info), mask_(mask), waker_(waker) {}
  ~SnapshotPause();

  struct Plan {
    SnapshotTask task;
    bool fork = true;                   // false: walk in the pause
    CallbackWalk* callbacks = nullptr;  // or take what the runtime tells
    bool any_generation = false;        // collections of generation 2 as well
    uint64_t max_pause_ns = 0;          // for the walk
  };

  // Before the first Prepare; without it nothing is known of survivors.
  void UseSurvivors(Survivors& survivors) { survivors_ = &survivors; }

  // Snapshot's thread. Maps what the pause needs; false: no memory.
  bool Prepare();
  void Arm(const Plan& plan);
  // False: too late, it is being taken.
  bool Disarm();
  void Release();

  State state() const { return state_.load(std::memory_order_acquire); }
  // After kTaken or kFailed, and until the next Arm.
  bool resumed() const { return resumed_.load(std::memory_order_acquire); }
  PauseTimes times() const { return times_; }
  uint32_t collection() const { return collection_; }
  uint64_t taken_ns() const { return taken_ns_; }
  std::span<const HeapRange> ranges() const { return {ranges_, range_count_}; }
  RootBuffer& roots() { return roots_; }
  SurvivorsImage* survivors() { return survivors_image_; }  // null: none are followed
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
  // False: the runtime is to spare itself the walk over the objects.
  bool Object(clr::ObjectID object, clr::ClassID type, std::span<const clr::ObjectID> references);
  void SuspendStarted();
  void SuspendFinished();
  void ResumeStarted() { stopped_.store(false, std::memory_order_release); }
  void Resumed();

 private:
  void TakeRanges();

  clr::ICorProfilerInfo10* const info_;
  GcMask& mask_;
  Waker& waker_;
  std::atomic<State> state_{State::kIdle};
  Plan plan_;
  std::atomic<bool> any_generation_{false};  // of the plan: asked before it is known to hold
  RootBuffer roots_;
  SnapshotChild child_;
  clr::COR_PRF_GC_GENERATION_RANGE* bounds_ = nullptr;
  HeapRange* ranges_ = nullptr;
  uint32_t range_count_ = 0;
  Survivors* survivors_ = nullptr;
  SurvivorsImage* survivors_image_ = nullptr;

  PauseTimes times_;
  uint64_t collection_started_ns_ = 0;
  std::atomic<uint64_t> suspend_started_ns_{0}, suspend_finished_ns_{0};
  uint64_t taken_ns_ = 0;
  uint32_t collection_ = 0;
  // Callbacks only: the collection that was taken is over, its pause is not. A plan that is armed
  // meanwhile has its own.
  std::atomic<bool> resume_due_{false};
  std::atomic<bool> resumed_{false};
  std::atomic<bool> stopped_{false};  // all managed threads are stopped
  int clone_error_ = 0;
  bool mask_failed_ = false;
};

}  // namespace hindsight::recorder
