#include "recorder/sources/allocations/survivor_tracker.h"

#include <sched.h>

#include <algorithm>

#include "recorder/base/clock.h"
#include "recorder/base/spin_pause.h"

namespace hindsight::recorder {
namespace {

// On an application thread: some microseconds. Another thread holds the table for the time of one
// handle, or rarely, for a pass over all of them.
constexpr uint32_t kFewAttempts = 64;
// In the pause: until a recorder thread, which may be descheduled, has released it.
constexpr uint64_t kPauseWaitNs = 5'000'000;

}  // namespace

class SurvivorTracker::Hold {
 public:
  Hold(SurvivorTracker& survivors, uint32_t attempts) : held_(survivors.held_) {
    for (uint32_t i = 0; i < attempts && !(has_ = Try()); ++i) SpinPause();
  }
  // Waits until `until_ns`; 0: without a limit, because it never takes long.
  static Hold Patient(SurvivorTracker& survivors, uint64_t until_ns) {
    return Hold(survivors, until_ns, 0);
  }
  ~Hold() {
    if (has_) held_.store(false, std::memory_order_release);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  explicit operator bool() const { return has_; }

 private:
  Hold(SurvivorTracker& survivors, uint64_t until_ns, int) : held_(survivors.held_) {
    while (!(has_ = Try()) && (until_ns == 0 || MonotonicNs() < until_ns)) sched_yield();
  }
  bool Try() {
    return !held_.load(std::memory_order_relaxed) &&
           !held_.exchange(true, std::memory_order_acquire);
  }

  std::atomic<bool>& held_;
  bool has_ = false;
};

bool SurvivorTracker::Open(clr::ICorProfilerInfo10* info, MemoryBudget& budget) {
  if (clr::Failed(
          info->QueryInterface(clr::ICorProfilerInfo13::kIid, reinterpret_cast<void**>(&info_)))) {
    return false;
  }
  table_ = static_cast<Table*>(budget.Map(sizeof(Table)));
  if (table_ == nullptr) {
    info_->Release();
    info_ = nullptr;
    return false;
  }
  since_ns_ = MonotonicNs();
  open_ = true;
  return true;
}

void SurvivorTracker::Release(MemoryBudget& budget) {
  open_ = false;
  if (table_ != nullptr) budget.Unmap(table_, sizeof(Table));
  table_ = nullptr;
}

uint64_t SurvivorTracker::ObjectOf(clr::ObjectHandleID handle) {
  return __atomic_load_n(static_cast<const uint64_t*>(handle), __ATOMIC_RELAXED);
}

uint64_t SurvivorTracker::ObjectOf(const TrackedObject& followed) {
  return ObjectOf(reinterpret_cast<clr::ObjectHandleID>(followed.address));
}

void SurvivorTracker::Follow(const SampledAllocation& allocation, uint32_t stack, uint32_t thread,
                             uint64_t now_ns) {
  if (!open_.load(std::memory_order_acquire)) return;
  const uint64_t sample = samples_.fetch_add(1, std::memory_order_relaxed);
  const auto is_one_of_stride = [&] {
    return sample % stride_.load(std::memory_order_relaxed) == 0;
  };
  if (!is_one_of_stride()) return;
  const Hold hold(*this, kFewAttempts);
  if (!hold || (count_ == kCapacity && !MakeRoom())) {
    missed_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (!is_one_of_stride() || !open_.load(std::memory_order_relaxed)) return;
  clr::ObjectHandleID handle = nullptr;
  if (clr::Failed(
          info_->CreateHandle(allocation.address, clr::COR_PRF_HANDLE_TYPE_WEAK, &handle)) ||
      handle == nullptr) {
    missed_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  handles_.fetch_add(1, std::memory_order_relaxed);
  sampling_ = allocation.sampling;
  table_->followed[count_++] = {.address = reinterpret_cast<uint64_t>(handle),
                                .size = allocation.size,
                                .amount = allocation.amount,
                                .allocated_ns = now_ns,
                                .sample = sample,
                                .stack = stack,
                                .thread = thread};
  if (ObjectOf(handle) != allocation.address) open_ = false;  // handles do not work as expected
}

// With the table held: makes room in a full one. False: too many handles wait to be freed.
bool SurvivorTracker::MakeRoom() {
  if (unwanted_count_ + kCapacity > kMaxUnwanted) return false;
  DropDead(0, count_);
  if (count_ <= kCapacity / 2) return true;
  const uint32_t stride = stride_.load(std::memory_order_relaxed);
  if (stride > UINT32_MAX / 2) return false;
  stride_.store(2 * stride, std::memory_order_relaxed);
  for (uint32_t i = count_; i-- > 0;) {
    if (table_->followed[i].sample % (2 * stride) != 0) Drop(i);
  }
  return count_ < kCapacity;
}

void SurvivorTracker::Drop(uint32_t index) {
  table_->unwanted[unwanted_count_++] =
      reinterpret_cast<clr::ObjectHandleID>(table_->followed[index].address);
  table_->followed[index] = table_->followed[--count_];
}

void SurvivorTracker::DropDead(uint32_t from, uint32_t to) {
  for (uint32_t i = std::min(to, count_); i-- > from;) {
    if (ObjectOf(table_->followed[i]) == 0 && unwanted_count_ < kMaxUnwanted) Drop(i);
  }
}

void SurvivorTracker::Sweep() {
  if (info_ == nullptr) return;
  // Downwards, so that the entry that replaces a removed one has already been checked.
  for (uint32_t from = kCapacity; from > 0;) {
    from -= kChunk;
    const Hold hold = Hold::Patient(*this, 0);
    DropDead(from, from + kChunk);
  }
  while (FreeSome()) continue;
}

// Handles are freed without holding the table: that may take the runtime's locks.
bool SurvivorTracker::FreeSome() {
  clr::ObjectHandleID handles[kChunk];
  uint32_t count = 0;
  {
    const Hold hold = Hold::Patient(*this, 0);
    count = std::min(unwanted_count_, kChunk);
    unwanted_count_ -= count;
    std::copy_n(table_->unwanted + unwanted_count_, count, handles);
  }
  for (uint32_t i = 0; i < count; ++i) info_->DestroyHandle(handles[i]);
  handles_.fetch_sub(count, std::memory_order_relaxed);
  return count != 0;
}

void SurvivorTracker::Close() {
  if (info_ == nullptr) return;
  {
    const Hold hold = Hold::Patient(*this, 0);
    open_ = false;
  }
  // No more are added.
  bool more = true;
  while (more) {
    while (FreeSome()) continue;
    const Hold hold = Hold::Patient(*this, 0);
    more = count_ != 0;
    while (count_ != 0 && unwanted_count_ < kMaxUnwanted) Drop(count_ - 1);
  }
  info_->Release();
  info_ = nullptr;
}

void SurvivorTracker::Copy(SurvivorsImage& image) {
  image.known = false;
  image.count = 0;
  if (table_ == nullptr) return;
  const Hold hold = Hold::Patient(*this, MonotonicNs() + kPauseWaitNs);
  if (!hold || !open_.load(std::memory_order_relaxed)) return;
  image.known = true;
  image.sampling = sampling_;
  image.stride = stride_.load(std::memory_order_relaxed);
  image.since_ns = since_ns_;
  for (uint32_t i = 0; i < count_; ++i) {
    const uint64_t address = ObjectOf(table_->followed[i]);
    if (address == 0) continue;
    TrackedObject& alive = image.alive[image.count++];
    alive = table_->followed[i];
    alive.address = address;
  }
}

}  // namespace hindsight::recorder
