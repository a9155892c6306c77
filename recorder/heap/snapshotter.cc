#include "recorder/heap/snapshotter.h"

#include <algorithm>
#include <utility>

#include "recorder/base/clock.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;  // between checks of the heap size
// Minimum time after a snapshot before growth triggers another one.
constexpr uint64_t kGrowthPauseNs = 30'000'000'000;
constexpr size_t kMaxRanges = 4096;

}  // namespace

Snapshotter::Snapshotter(clr::ICorProfilerInfo10* info, CodeGate& gate, ThreadGate& threads,
                         const contract::Options& options, const StackTable& stacks, const Gc& gc)
    : info_(info),
      options_(options.heap),
      maker_(info, gate, threads, options, stacks, gc, waker_),
      ranges_(options.heap.growth_percent != 0 ? kMaxRanges : 0) {}

bool Snapshotter::SetMask(clr::EventMask mask) {
  std::string why;
  const bool set = maker_.mask().Prepare(info_, mask, options_.roots, &why);
  if (!why.empty()) maker_.SetMaskReason(why + " ");
  unsettled_ = true;
  return set;
}

bool Snapshotter::Join(clr::EventMask mask, std::string* why) {
  joined_ = true;
  if (maker_.mask().PrepareLate(info_, mask, why)) return true;
  if (why->empty()) *why = "The runtime refused what a snapshot needs.";
  *why += " Start a recording with the source heap (sources=+heap).";
  joined_ = false;
  return false;
}

bool Snapshotter::Start(std::shared_ptr<void> owner, std::function<OpenedFolder()> folder,
                        uint64_t recording_id, const ProcessPacket& process) {
  order_.folder = std::move(folder);
  order_.recording_id = recording_id;
  order_.process = &process;
  order_.stop = &stopping_;
  order_.publish = [this](const SnapshotStatus& status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    if (!status.running) kept_files_ = status.kept_files;
  };
  last_ns_ = MonotonicNs();
  return worker_.Start("hindsight-heap", std::move(owner), [this] { Run(); });
}

void Snapshotter::Ready() {
  ready_ = true;
  waker_.Wake();
}

void Snapshotter::Run() {
  while (!stopping_) {
    waker_.Wait(NextLookNs());
    SnapshotTrigger trigger;
    if (stopping_ || !IsDue(&trigger)) continue;
    order_.number += 1;
    order_.trigger = trigger;
    order_.hurries = hurries_.exchange(false);
    requested_ = false;  // a request from here on is for the next one
    maker_.Make(order_);
    file_bytes_ += Status().file_bytes;
    last_ns_ = MonotonicNs();
    base_bytes_ = heap_bytes_;
    const std::lock_guard lock(mutex_);
    if (on_end_) on_end_();
  }
}

uint64_t Snapshotter::NextLookNs() const {
  if (!ready_) return UINT64_MAX;
  if (requested_) return 0;  // its wake-up may have ended a wait inside the previous one
  if (joined_) return UINT64_MAX;
  if (options_.growth_percent != 0) return kLookNs;
  if (options_.every_ns == 0) return UINT64_MAX;
  const uint64_t waited_ns = MonotonicNs() - last_ns_;
  return waited_ns < options_.every_ns ? options_.every_ns - waited_ns : 0;
}

bool Snapshotter::IsDue(SnapshotTrigger* trigger) {
  const uint64_t now = MonotonicNs();
  if (!ready_) return false;
  if (requested_) {
    *trigger = SnapshotTrigger::kRequested;
    return true;
  }
  if (joined_) return false;
  if (options_.every_ns != 0 && now - last_ns_ >= options_.every_ns) {
    *trigger = SnapshotTrigger::kPeriodic;
    return true;
  }
  const uint64_t bytes = heap_bytes_;
  if (options_.growth_percent == 0 || bytes == 0) return false;
  if (base_bytes_ == 0) base_bytes_ = bytes;
  *trigger = SnapshotTrigger::kGrowth;
  return now - last_ns_ >= kGrowthPauseNs &&
         bytes / 100 > base_bytes_ / 10'000 * (100 + options_.growth_percent);
}

void Snapshotter::CollectionFinished() {
  maker_.pause().CollectionFinished();
  if (options_.growth_percent == 0) return;
  if (measuring_.exchange(true)) return;
  uint32_t count = 0;
  uint64_t bytes = 0;
  if (clr::Succeeded(info_->GetGenerationBounds(static_cast<uint32_t>(ranges_.size()), &count,
                                                ranges_.data()))) {
    for (size_t i = 0; i < std::min<size_t>(count, ranges_.size()); ++i) {
      bytes += ranges_[i].used_bytes;
    }
  }
  measuring_ = false;
  heap_bytes_ = bytes;
}

bool Snapshotter::Stop(uint64_t timeout_ns) {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  waker_.Wake();
  return worker_.WaitForEnd(timeout_ns);
}

uint32_t Snapshotter::Request(bool hurries) {
  const std::lock_guard lock(mutex_);
  if (!worker_.running() || stopping_ || status_.running || requested_.exchange(true)) return 0;
  hurries_ = hurries;
  const uint32_t number = status_.number + 1;
  status_ = {};
  status_.number = number;
  status_.running = true;
  status_.phase = "waiting";
  waker_.Wake();
  return number;
}

std::vector<uint32_t> Snapshotter::KeptFiles() const {
  const std::lock_guard lock(mutex_);
  return kept_files_;
}

SnapshotStatus Snapshotter::Status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace hindsight::recorder
