#include "recorder/sources/gc/gc.h"

#include <algorithm>

#include "recorder/base/own_collection.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/thread.h"

namespace hindsight::recorder {

uint32_t Gc::CollectionStarted(std::span<const clr::BOOL> generations, bool induced) {
  // Generations 0, 1, 2 come first; the large and pinned object heaps belong to generation 2.
  uint32_t oldest = 0;
  for (uint32_t i = 0; i < generations.size() && i <= 2; ++i) {
    if (generations[i] != 0) oldest = i;
  }
  if (oldest == 2) {
    if (last_full_ns_ != 0) heap_as_of_ns_.store(last_full_ns_, std::memory_order_relaxed);
    last_full_ns_ = MonotonicNs();
  }
  const bool by_recorder = OwnCollection::Begins(induced);
  // The threads have been suspended for it.
  if (by_recorder) of_others_.by_us.store(true, std::memory_order_relaxed);
  Begin(oldest, induced, by_recorder, 0);
  return oldest;
}

void Gc::Begin(uint32_t generation, bool induced, bool by_recorder, uint32_t runtime_number) {
  const uint32_t number = collections_.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint32_t open = open_count_.load(std::memory_order_acquire);
  if (open == kMaxOpen) return;
  open_[open] = {number, generation, induced, by_recorder, runtime_number, MonotonicNs()};
  open_count_.store(open + 1, std::memory_order_release);
}

void Gc::CollectionFinished() {
  const uint32_t open = open_count_.load(std::memory_order_acquire);
  if (open == 0) return;  // it began before the recording
  const Open collection = open_[open - 1];
  open_count_.store(open - 1, std::memory_order_release);
  if (!record_) return;
  emitter_.Emit<CollectionEvent>(EventKind::kCollection, collection.started_ns,
                                 [&](CollectionEvent& event) {
                                   event.number = collection.number;
                                   event.generation = collection.generation;
                                   event.induced = collection.induced;
                                   event.by_recorder = collection.by_recorder;
                                   event.runtime_number = collection.runtime_number;
                                   event.duration_ns = MonotonicNs() - collection.started_ns;
                                 });
}

void Gc::StartReported(uint32_t runtime_number, uint32_t generation, bool induced) {
  const uint32_t open = open_count_.load(std::memory_order_acquire);
  if (open != 0 && open_[open - 1].runtime_number == 0) {
    open_[open - 1].runtime_number = runtime_number;
  } else if (open != 0) {
    Begin(generation, induced, false, runtime_number);
  }
}

// A thread snapshot is taken on one thread of ours; another one may request a collection meanwhile.
Gc::Suspension& Gc::OfCallingThread() {
  const uint32_t thread = snapshot_thread_.load();
  return thread != 0 && OnOwnThread() && thread == CurrentThreadId() ? of_snapshot_ : of_others_;
}

void Gc::SuspendStarted(uint32_t reason) {
  suspensions_.fetch_add(1);
  suspended_.store(true);
  // Who requested a collection is known when it begins.
  constexpr uint32_t kForCollection = 1;  // COR_PRF_SUSPEND_FOR_GC
  const bool is_snapshot = reason != kForCollection && OnOwnThread();
  if (is_snapshot) snapshot_thread_.store(CurrentThreadId());
  Suspension& suspension = is_snapshot ? of_snapshot_ : of_others_;
  suspension.reason.store(reason, std::memory_order_relaxed);
  suspension.by_us.store(is_snapshot, std::memory_order_relaxed);
  suspension.finished_ns.store(0, std::memory_order_relaxed);
  suspension.started_ns.store(MonotonicNs(), std::memory_order_relaxed);
}

void Gc::SuspendFinished() {
  OfCallingThread().finished_ns.store(MonotonicNs(), std::memory_order_relaxed);
}

void Gc::ResumeStarted() {
  OfCallingThread().resuming_ns.store(MonotonicNs(), std::memory_order_relaxed);
}

uint64_t Gc::ResumeFinished() {
  uint32_t open = suspensions_.load();  // 0: it began before the recording
  while (open > 0 && !suspensions_.compare_exchange_weak(open, open - 1)) {
  }
  suspended_.store(false);
  if (suspensions_.load() != 0) suspended_.store(true);  // another one, which may have just begun
  Suspension& suspension = OfCallingThread();
  const bool is_snapshot = &suspension == &of_snapshot_;
  if (is_snapshot) snapshot_thread_.store(0);
  const uint64_t now = MonotonicNs();
  const uint64_t requested = suspension.started_ns.exchange(0, std::memory_order_relaxed);
  if (requested == 0) return 0;  // it began before the recording
  const uint64_t finished = suspension.finished_ns.load(std::memory_order_relaxed);
  // If it had to wait for the other one. That one may also have come and gone since this one ended.
  const uint64_t before =
      (is_snapshot ? of_others_ : of_snapshot_).resuming_ns.load(std::memory_order_relaxed);
  const uint64_t started = before <= finished ? std::max(requested, before) : requested;
  const bool by_us = suspension.by_us.load(std::memory_order_relaxed);
  const uint64_t paused_ns = by_us ? now - started : 0;
  if (by_us) OwnCost::Instance().Paused(paused_ns);
  if (!record_) return paused_ns;
  emitter_.Emit<SuspensionEvent>(EventKind::kSuspension, started, [&](SuspensionEvent& event) {
    event.reason = suspension.reason.load(std::memory_order_relaxed);
    event.by_recorder = by_us;
    event.stopping_ns = (finished != 0 ? std::max(finished, started) : now) - started;
    event.total_ns = now - started;
  });
  return paused_ns;
}

}  // namespace hindsight::recorder
