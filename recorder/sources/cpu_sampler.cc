#include "recorder/sources/cpu_sampler.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>

#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/sources/cpu_signal.h"

namespace hindsight::recorder {
namespace {

constexpr char kTasks[] = "/proc/self/task";

void Sleep(uint64_t ns) {
  const timespec pause{0, static_cast<long>(ns)};
  nanosleep(&pause, nullptr);
}

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

// 2 + the number of threads: the kernel counts them as the folder's links.
uint64_t LinksOfTasks() {
  struct stat status;
  return stat(kTasks, &status) == 0 ? status.st_nlink : 0;
}

}  // namespace

CpuSampler::CpuSampler(uint32_t hz, Emitter& emitter, MemoryBudget& budget, Waker& drain,
                       SignalWalker& walker)
    : period_ns_(1'000'000'000 / hz),
      recording_(emitter.recording()),
      emitter_(emitter),
      walker_(walker),
      sink_{walker, budget, drain, waker_} {}

std::string CpuSampler::Open(std::function<void(std::string)> tell) {
  tell_ = std::move(tell);
  if (!waker_.Open()) {
    return "There is no file descriptor left for the source cpu; the rest is recorded.";
  }
  if (!CpuSlots::Instance().Open()) {
    return "There is no memory for the source cpu; the rest is recorded.";
  }
  if (!CpuSignal::Install()) {
    return "The source cpu is off: the application handles SIGURG on the alternate signal stack, "
           "as Go does, and such a handler has to stay; the rest is recorded.";
  }
  const std::lock_guard lock(mutex_);
  running_ = true;
  return {};
}

// Reading the unwind tables of all native libraries takes 15 ms of CPU, which a process that only
// starts and ends should not pay. Samples until then follow frame pointers.
bool CpuSampler::StartIsOver(uint64_t now) const {
  constexpr uint64_t kCpuNs = 200'000'000, kWallNs = 10'000'000'000;
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const uint64_t used_ns =
      static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
  return skip_start_ || now - opened_ns_ >= kWallNs || used_ns >= kCpuNs;
}

void CpuSampler::Run() {
  opened_ns_ = MonotonicNs();
  while (!stopping_) {
    const uint64_t now = MonotonicNs();
    AddStarted();
    if (ScanIsDue(now)) Scan();
    FindStacks();
    KeepSignal();
    if (modules_ns_ == 0 ? StartIsOver(now) : now - modules_ns_ >= kModulesEveryNs) {
      walker_.RefreshNativeModules();
      modules_ns_ = now;
    }
    // Threads that are new to us ask one after the other.
    if (waker_.Wait(kEveryNs)) Sleep(1'000'000);
  }
  EndSampling();
  NoRun();
}

void CpuSampler::NoRun() {
  const std::lock_guard lock(mutex_);
  running_ = false;
  changed_.notify_all();
}

bool CpuSampler::Stop(uint64_t timeout_ns) {
  stopping_ = true;
  waker_.Wake();
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return !running_; });
}

void CpuSampler::ThreadStarted(uint32_t os_id) {
  if (OnOwnThread()) return;
  starting_.fetch_add(1);  // before it is asked whether sampling ends: that waits for this
  if (running_ && !stopping_) {
    const ThreadTrack* track = emitter_.Track();
    const bool is_own = track != nullptr && track->os_id.load(std::memory_order_relaxed) == os_id;
    int error = 0;
    CpuSlot* slot =
        is_own ? StartTimer(os_id, {track->stack_low, track->stack_high}, error) : nullptr;
    if (slot == nullptr || !HandOver(os_id, slot)) {
      if (slot != nullptr) Retire(*slot);
      scan_wanted_.store(true, std::memory_order_relaxed);
      waker_.Wake();
    }
  }
  starting_.fetch_sub(1);
}

bool CpuSampler::HandOver(uint32_t os_id, CpuSlot* slot) {
  for (Started& place : started_) {
    uint32_t free = Started::kFree;
    if (!place.state.compare_exchange_strong(free, Started::kFilling)) continue;
    place.os_id = os_id;
    place.slot = slot;
    place.state.store(Started::kFull, std::memory_order_release);
    return true;
  }
  return false;
}

void CpuSampler::AddStarted() {
  for (Started& place : started_) {
    if (place.state.load(std::memory_order_acquire) != Started::kFull) continue;
    CpuSlot*& known = by_os_id_[place.os_id];
    // A scan has met the thread already, or a dead one that had its id.
    if (known != nullptr) Retire(*known);
    known = place.slot;
    known->scan = scan_;
    known->unanswered = 0;
    place.state.store(Started::kFree, std::memory_order_release);
  }
}

bool CpuSampler::ScanIsDue(uint64_t now) {
  const bool wanted = scan_wanted_.exchange(false, std::memory_order_relaxed);
  const uint64_t links = LinksOfTasks();
  const bool changed = links != links_;
  const bool due = now - scanned_ns_ >= kScanAgainNs || changed || wanted;
  if (due && now < scan_after_ns_) {
    if (wanted) scan_wanted_.store(true, std::memory_order_relaxed);
    return false;
  }
  links_ = links;
  return due;
}

void CpuSampler::Scan() {
  DIR* tasks = opendir(kTasks);
  if (tasks == nullptr) return;
  const uint64_t began = MonotonicNs();
  ++scan_;
  refused_ = 0;
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
    int error = 0;
    if (CpuSlot* slot = StartTimer(os_id, {}, error)) {
      slot->scan = scan_;
      slot->unanswered = 0;
      by_os_id_[os_id] = slot;
    } else if (error == EAGAIN) {
      ++refused_;  // otherwise it has ended meanwhile
    }
  }
  closedir(tasks);
  for (auto it = by_os_id_.begin(); it != by_os_id_.end();) {
    if (it->second->scan == scan_) {
      ++it;
      continue;
    }
    Retire(*it->second);
    it = by_os_id_.erase(it);
  }
  TellUnsampled();
  scanned_ns_ = MonotonicNs();
  scan_after_ns_ = scanned_ns_ + std::max(kEveryNs, (scanned_ns_ - began) * kScanShare);
}

CpuSlot* CpuSampler::StartTimer(uint32_t os_id, const StackBounds& stack, int& error) {
  error = EAGAIN;
  CpuSlot* slot = CpuSlots::Instance().Claim(recording_);
  if (slot == nullptr) return nullptr;
  slot->os_id.store(os_id, std::memory_order_relaxed);
  slot->asked_sp.store(0, std::memory_order_relaxed);
  slot->stack_low.store(stack.low, std::memory_order_relaxed);
  slot->stack_high.store(stack.high, std::memory_order_release);
  slot->sink.store(&sink_);

  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kCpuSignal;
  event.sigev_value.sival_ptr = slot;
  event._sigev_un._tid = static_cast<pid_t>(os_id);
  // libc's would do, but for names that its versions lack.
  if (syscall(SYS_timer_create, CpuClockOfThread(os_id), &event, &slot->timer) != 0) {
    error = errno;
    slot->sink.store(nullptr);
    slot->taken.store(false);
    return nullptr;
  }
  // The first period begins somewhere in the middle of one, so that threads which live shorter than
  // a period get their share of samples.
  const uint64_t random = (MonotonicNs() ^ os_id) * 0x9e3779b97f4a7c15u;
  itimerspec time;
  time.it_value = ToTimespec(1 + (random >> 32) % period_ns_);
  time.it_interval = ToTimespec(period_ns_);
  if (syscall(SYS_timer_settime, slot->timer, 0, &time, nullptr) == 0) return slot;
  error = errno;  // the thread has ended
  Retire(*slot);
  return nullptr;
}

// A thread id is used again some time; the timer of the thread that had it before then shows no
// interval (kernel/time/posix-cpu-timers.c, posix_cpu_timer_get, as of Linux 5.7).
bool CpuSampler::IsAlive(const CpuSlot& slot) const {
  itimerspec time = {};
  return syscall(SYS_timer_gettime, slot.timer, &time) == 0 &&
         (time.it_interval.tv_sec != 0 || time.it_interval.tv_nsec != 0);
}

void CpuSampler::Retire(CpuSlot& slot) {
  syscall(SYS_timer_delete, slot.timer);
  slot.sink.store(nullptr);
  slot.taken.store(false);
}

void CpuSampler::FindStacks() {
  std::string maps;
  for (auto& [os_id, slot] : by_os_id_) {
    const uintptr_t sp = slot->asked_sp.load(std::memory_order_acquire);
    if (sp == 0 || slot->stack_high.load(std::memory_order_relaxed) != 0) continue;
    if (maps.empty()) maps = ReadOwnMaps();
    const uintptr_t tp = slot->asked_tp.load(std::memory_order_relaxed);
    const StackBounds stack = FindStackBounds(maps, sp, tp);
    slot->stack_low.store(stack.low, std::memory_order_relaxed);
    slot->stack_high.store(stack.high, std::memory_order_release);
    // Unknown: another sample asks again, on the thread's ordinary stack perhaps. Not for ever.
    if (stack.known() || ++slot->unanswered < kMaxUnanswered) {
      slot->asked_sp.store(0, std::memory_order_release);
    }
  }
}

void CpuSampler::KeepSignal() {
  if (CpuSignal::KeepOnTop() || told_covered_) return;
  told_covered_ = true;
  tell_(
      "The application has installed a handler of SIGURG that has to stay on top of the "
      "recorder's: from then on the source cpu has only what that one hands on.");
}

void CpuSampler::TellUnsampled() {
  if (refused_ == 0 || told_refused_) return;
  told_refused_ = true;
  tell_(std::to_string(refused_) +
        " threads are not sampled by the source cpu: the kernel gives no more timers. Raise the "
        "limit of pending signals (ulimit -i).");
}

void CpuSampler::EndSampling() {
  while (starting_.load() != 0) Sleep(1'000'000);
  AddStarted();
  for (auto& [os_id, slot] : by_os_id_) Retire(*slot);
  by_os_id_.clear();
  CpuSignal::Restore();
  CpuSlots::Instance().ForEach(recording_, [](CpuSlot& slot) {
    // A handler takes microseconds, unless its thread has to wait for a processor.
    while (slot.in_handler.load()) Sleep(1'000'000);
  });
}

}  // namespace hindsight::recorder
