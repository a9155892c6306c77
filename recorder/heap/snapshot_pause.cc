#include "recorder/heap/snapshot_pause.h"

#include <algorithm>
#include <cerrno>

#include "recorder/base/clock.h"
#include "recorder/base/own_collection.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/pages.h"
#include "recorder/base/thread_hold.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kBoundsBytes = kMaxHeapRanges * sizeof(clr::COR_PRF_GC_GENERATION_RANGE);
// The collector's ranges, and those of the walk, which sorts the frozen ones among them.
constexpr size_t kRangesBytes = (2 * kMaxHeapRanges + 1024) * sizeof(WalkedRange);

}  // namespace

SnapshotPause::~SnapshotPause() { Release(); }

bool SnapshotPause::Prepare() {
  if (bounds_ == nullptr) {
    bounds_ = static_cast<clr::COR_PRF_GC_GENERATION_RANGE*>(MapSparsePages(kBoundsBytes));
  }
  if (ranges_ == nullptr) ranges_ = static_cast<WalkedRange*>(MapSparsePages(kRangesBytes));
  if (survivors_ != nullptr && survivors_image_ == nullptr) {
    survivors_image_ = static_cast<SurvivorsImage*>(MapSparsePages(sizeof(SurvivorsImage)));
  }
  return bounds_ != nullptr && ranges_ != nullptr && roots_.Reserve() && child_.Prepare();
}

void SnapshotPause::Release() {
  UnmapPages(bounds_, kBoundsBytes);
  UnmapPages(ranges_, kRangesBytes);
  UnmapPages(survivors_image_, sizeof(SurvivorsImage));
  bounds_ = nullptr;
  ranges_ = nullptr;
  survivors_image_ = nullptr;
  roots_.Release();
  child_.Release();
  state_ = State::kIdle;
}

void SnapshotPause::Arm(const Plan& plan) {
  plan_ = plan;
  plan_.task.ranges = ranges_ + kMaxHeapRanges;
  any_generation_.store(plan.any_generation, std::memory_order_relaxed);
  range_count_ = 0;
  times_ = {};
  resumed_ = false;
  clone_error_ = 0;
  mask_failed_ = false;
  state_.store(State::kArmed, std::memory_order_release);
}

bool SnapshotPause::Disarm() {
  State armed = State::kArmed;
  return state_.compare_exchange_strong(armed, State::kIdle);
}

void SnapshotPause::SuspendStarted() {
  ThreadHold::Instance().SuspensionBegins();
  suspend_started_ns_.store(MonotonicNs(), std::memory_order_relaxed);
}

void SnapshotPause::SuspendFinished() {
  ThreadHold::Instance().SuspensionIsThere();
  suspend_finished_ns_.store(MonotonicNs(), std::memory_order_relaxed);
  stopped_.store(true, std::memory_order_release);
}

void SnapshotPause::CollectionStarted(uint32_t number, uint32_t generation, bool inside_another) {
  // While a background collection sweeps, dead objects of generation 2 hold references that are no
  // longer updated. Its own callbacks enclose those of the collections inside it. A forced full
  // collection has waited for its end. The callback also comes for background collections, which
  // are of generation 2 and let the application run.
  const bool is_ordinary = !inside_another && generation <= 1;
  const auto fits = [&] { return is_ordinary || any_generation_.load(std::memory_order_relaxed); };
  if (state() != State::kArmed || !fits()) return;
  State armed = State::kArmed;
  if (!state_.compare_exchange_strong(armed, State::kCollecting)) return;
  if (!fits()) {  // it was rearmed in between
    state_.store(State::kArmed, std::memory_order_release);
    return;
  }
  collection_ = number;
  requested_ = OwnCollection::IsRequested();
  collection_started_ns_ = MonotonicNs();
  if (mask_.On()) return;
  mask_failed_ = true;
  resume_due_.store(true, std::memory_order_relaxed);
  state_.store(State::kFailed, std::memory_order_release);
  waker_.Wake();
}

void SnapshotPause::Roots(uint32_t count, const clr::ObjectID* objects,
                          const clr::COR_PRF_GC_ROOT_KIND* kinds,
                          const clr::COR_PRF_GC_ROOT_FLAGS* flags, const uintptr_t* ids) {
  if (state() != State::kCollecting) return;
  const uint64_t start = MonotonicNs();
  roots_.Add(count, objects, kinds, flags, ids);
  times_.roots_ns += MonotonicNs() - start;
}

void SnapshotPause::Dependents(uint32_t count, const clr::ObjectID* keys,
                               const clr::ObjectID* values) {
  if (state() == State::kCollecting) roots_.AddDependents(count, keys, values);
}

bool SnapshotPause::Object(clr::ObjectID object, clr::ClassID type,
                           std::span<const clr::ObjectID> references) {
  if (state() != State::kCollecting) return true;
  return plan_.callbacks != nullptr && plan_.callbacks->Add(object, type, references);
}

void SnapshotPause::CollectionFinished() {
  if (state() != State::kCollecting) return;
  mask_.Off();
  if (!stopped_.load(std::memory_order_acquire)) {  // a background collection: take the next one
    state_.store(State::kArmed, std::memory_order_release);
    return;
  }
  TakeRanges();
  if (survivors_image_ != nullptr) survivors_->Copy(*survivors_image_);
  const uint64_t start = MonotonicNs();
  times_.collect_ns = start - collection_started_ns_;
  taken_ns_ = start;
  plan_.task.range_count = range_count_;
  std::copy_n(ranges_, range_count_, plan_.task.ranges);
  bool taken = range_count_ != 0;
  if (taken && plan_.fork) {
    clone_error_ = child_.Clone(plan_.task);
    taken = clone_error_ == 0;
  } else if (taken && plan_.callbacks == nullptr) {
    WalkAndWrite(plan_.task, AllRanges(plan_.task), start + plan_.max_pause_ns);
  }
  times_.fork_ns = MonotonicNs() - start;
  ThreadHold::Instance().HoldAgain();
  resume_due_.store(true, std::memory_order_relaxed);
  state_.store(taken ? State::kTaken : State::kFailed, std::memory_order_release);
}

void SnapshotPause::TakeRanges() {
  uint32_t count = 0;
  range_count_ = 0;
  if (clr::Failed(info_->GetGenerationBounds(kMaxHeapRanges, &count, bounds_)) ||
      count > kMaxHeapRanges) {
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (bounds_[i].used_bytes == 0) continue;
    ranges_[range_count_++] = {bounds_[i].start, bounds_[i].used_bytes, bounds_[i].reserved_bytes,
                               static_cast<uint32_t>(bounds_[i].generation)};
  }
  std::sort(ranges_, ranges_ + range_count_,
            [](const WalkedRange& a, const WalkedRange& b) { return a.start < b.start; });
}

void SnapshotPause::Resumed(uint64_t counted_ns) {
  if (!resume_due_.exchange(false, std::memory_order_relaxed)) return;
  const uint64_t started = suspend_started_ns_.load(std::memory_order_relaxed);
  const uint64_t finished = suspend_finished_ns_.load(std::memory_order_relaxed);
  if (finished >= started) times_.suspend_ns = finished - started;
  times_.pause_ns = MonotonicNs() - started;
  // A collection that the application had anyway: only our part of it. Another suspension that
  // began in the meantime hides when this one did.
  const uint64_t ours_ns = requested_ ? times_.pause_ns : times_.roots_ns + times_.fork_ns;
  of_application_ns_ = times_.pause_ns - std::min(ours_ns, times_.pause_ns);
  if (counted_ns == 0) {
    OwnCost::Instance().Paused(ours_ns);
  } else if (ours_ns > counted_ns) {
    OwnCost::Instance().Add(&OwnCost::paused_ns, ours_ns - counted_ns);
  }
  resumed_.store(true, std::memory_order_release);
  waker_.Wake();
}

}  // namespace hindsight::recorder
