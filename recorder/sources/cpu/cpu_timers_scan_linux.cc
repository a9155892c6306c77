// Which threads there are, and which of them get a timer.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/sources/cpu/cpu_signal.h"
#include "recorder/sources/cpu/cpu_timers.h"

namespace hindsight::recorder {
namespace {

constexpr char kTasks[] = "/proc/self/task";

// 2 + the number of threads: the kernel reports them as the folder's link count.
uint64_t LinksOfTasks() {
  struct stat status;
  return stat(kTasks, &status) == 0 ? status.st_nlink : 0;
}

}  // namespace

bool CpuTimers::ScanIsDue(uint64_t now) {
  const bool wanted = scan_wanted_.exchange(false, std::memory_order_relaxed);
  const uint64_t links = LinksOfTasks();
  const bool changed = links != links_;
  if (changed) changed_ns_ = now;
  const bool due = now - scanned_ns_ >= kScanAgainNs || changed || wanted;
  if (due && now < scan_after_ns_) {
    if (wanted) scan_wanted_.store(true, std::memory_order_relaxed);
    return false;
  }
  links_ = links;
  return due;
}

void CpuTimers::Scan() {
  LeaveRoomInQueue();
  DIR* tasks = opendir(kTasks);
  if (tasks == nullptr) return;
  const uint64_t began = ThreadCpuNs();  // the cost counts, not waiting for a processor
  ++scan_;
  refused_ = 0;
  young_.clear();
  uint64_t new_ns = 0;
  while (const dirent* entry = readdir(tasks)) {
    uint32_t os_id = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    const auto parsed = std::from_chars(entry->d_name, end, os_id);
    if (parsed.ec != std::errc() || parsed.ptr != end || IsOwnThread(os_id)) continue;
    const auto known = by_os_id_.find(os_id);
    if (known != by_os_id_.end()) {
      if (IsAlive(*known->second)) {
        known->second->scan = scan_;
        continue;
      }
      Retire(*known->second);
      by_os_id_.erase(known);
    }
    const uint64_t met_ns = ThreadCpuNs();
    AddThread(os_id);
    new_ns += ThreadCpuNs() - met_ns;
  }
  closedir(tasks);
  left_out_.ForgetUnseen(scan_);
  for (auto it = by_os_id_.begin(); it != by_os_id_.end();) {
    if (it->second->scan == scan_) {
      ++it;
      continue;
    }
    Retire(*it->second);
    it = by_os_id_.erase(it);
  }
  ReportUnsampled();
  scanned_ns_ = MonotonicNs();
  const uint64_t took_ns = ThreadCpuNs() - began - new_ns;
  scan_after_ns_ =
      scanned_ns_ + std::max(kEveryNs, took_ns * kScanShare + new_ns * kNewThreadsShare);
}

// Whether the thread has announced itself if it ever will. Threads of the runtime do so before
// anything else, and only then it is known whether their stacks are too small for our signal. False
// also if that has just become known: there is nothing more to do for it.
bool CpuTimers::IsAnnounced(uint32_t os_id) {
  LeftOutThread& met = left_out_.Of(os_id);
  met.scan = scan_;
  if (met.is_known || met.is_announced) return true;
  const uint64_t now = MonotonicNs();
  if (met.met_ns == 0) met.met_ns = now;
  if (CpuNsOfThread(os_id) < kAnnouncedNs) {
    if (now - met.met_ns < kScanAgainNs) young_.push_back(os_id);
    return false;
  }
  AddStarted();
  return by_os_id_.find(os_id) == by_os_id_.end();
}

void CpuTimers::AddYoung() {
  std::vector<uint32_t> young;
  young.swap(young_);
  for (const uint32_t os_id : young) {
    if (by_os_id_.find(os_id) == by_os_id_.end()) AddThread(os_id);
  }
}

// Handles a thread that has no timer: a new one, or one that was left out.
void CpuTimers::AddThread(uint32_t os_id) {
  const int signal = CpuSignal::Number();
  if (signal == 0) return;
  if (!IsAnnounced(os_id)) return;
  LeftOutThread& left = left_out_.Of(os_id);
  // A thread that has not run has not changed its mask either.
  if (left.is_known && CpuNsOfThread(os_id) == left.cpu_ns) return;
  if (left.has_small_stack) {
    LeaveOut(os_id);
    return;
  }
  switch (WouldKeepSignal(os_id, signal, left.look)) {
    case Keeps::kYes:
      LeaveOut(os_id);
      return;
    case Keeps::kAlone:
      if (!left.is_alone_for_long) break;
      LeaveOut(os_id);
      return;
    case Keeps::kUnknown:
      scan_wanted_.store(true, std::memory_order_relaxed);
      return;
    case Keeps::kNo:
      break;
  }
  left_out_.Forget(os_id);
  int error = 0;
  if (CpuSlot* slot = StartTimer(os_id, {}, error)) {
    Add(os_id, *slot);
  } else if (error != EINVAL && error != ESRCH) {  // it has not just ended
    left_out_.AddAnnounced(os_id, scan_);
    ++refused_;
    refusal_ = error;
  }
}

}  // namespace hindsight::recorder
