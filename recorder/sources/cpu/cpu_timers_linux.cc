#include "recorder/sources/cpu/cpu_timers.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "recorder/base/error_text.h"
#include "recorder/base/mappings.h"
#include "recorder/base/thread.h"
#include "recorder/base/thread_run.h"
#include "recorder/sources/cpu/cpu_faults.h"
#include "recorder/sources/cpu/cpu_signal.h"

namespace hindsight::recorder {
namespace {

// A thread that blocks our signal and no other one has most likely just faulted (cpu_faults.h), and
// will unblock it before it has used this much CPU time.
constexpr uint64_t kHeldBackNs = 1'000'000'000;

void Sleep(uint64_t ns) {
  const timespec pause{0, static_cast<long>(ns)};
  nanosleep(&pause, nullptr);
}

timespec ToTimespec(uint64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

bool Blocks(const sigset_t& blocked) {
  const int signal = CpuSignal::Number();
  return signal != 0 && sigismember(&blocked, signal) == 1;
}

}  // namespace

std::unique_ptr<CpuSampler> MakeCpuSampler(uint32_t hz, clr::ICorProfilerInfo10*, CodeGate&,
                                           Emitter& emitter, MemoryBudget& budget, Waker& drain,
                                           SignalWalker& walker) {
  return std::make_unique<CpuTimers>(hz, emitter, budget, drain, walker);
}

CpuTimers::CpuTimers(uint32_t hz, Emitter& emitter, MemoryBudget& budget, Waker& drain,
                     SignalWalker& walker)
    : period_ns_(1'000'000'000 / hz),
      recording_(emitter.recording()),
      emitter_(emitter),
      walker_(walker),
      sink_{walker, budget, drain, waker_} {}

std::string CpuTimers::Start(std::shared_ptr<void> owner, std::function<void(std::string)> report,
                             std::function<void(std::string)> note) {
  report_ = std::move(report);
  note_ = std::move(note);
  walker_.Open(sink_.budget);  // without it, walks follow only frame pointers
  if (!CpuSlots::Instance().Open()) {
    return "There is no memory for the source cpu; everything else is recorded.";
  }
  if (!CpuSignal::Install()) {
    return "The source cpu is off: the application uses every real-time signal. Everything else is "
           "recorded.";
  }
  CpuFaults::HoldBack(CpuSignal::Number());
  LeaveRoomInQueue();
  if (worker_.Start("hindsight-cpu", std::move(owner), [this] { Run(); })) return {};
  CpuFaults::HoldBack(0);
  return "The thread for the source cpu could not be started; everything else is recorded.";
}

// Reading the unwind tables of all native libraries takes 15 ms of CPU time, too much for a process
// that only starts and ends. Until then, samples follow frame pointers.
bool CpuTimers::StartIsOver(uint64_t now) const {
  constexpr uint64_t kCpuNs = 200'000'000, kWallNs = 10'000'000'000;
  return skip_start_ || now - opened_ns_ >= kWallNs || ProcessCpuNs() >= kCpuNs;
}

void CpuTimers::Run() {
  opened_ns_ = changed_ns_ = MonotonicNs();
  while (!stopping_) {
    const uint64_t now = MonotonicNs();
    KeepSignal();
    AddStarted();
    if (ScanIsDue(now)) {
      Scan();
    } else {
      AddYoung();
    }
    LookForBlocked(now);
    FindStacks();
    if (modules_ns_ == 0 ? StartIsOver(now) : now - modules_ns_ >= kModulesEveryNs) {
      walker_.RefreshNativeModules();
      modules_ns_ = now;
    }
    // Threads that are new to the sampler wake it one after the other.
    const bool is_calm = now - changed_ns_ >= kCalmNs;
    const uint64_t rest_ns = !young_.empty() ? kYoungEveryNs : is_calm ? kCalmEveryNs : kEveryNs;
    if (waker_.Wait(rest_ns)) Sleep(1'000'000);
  }
  EndSampling();
  CpuFaults::HoldBack(0);
}

bool CpuTimers::Stop(uint64_t timeout_ns) {
  stopping_ = true;
  waker_.Wake();
  return worker_.WaitForEnd(timeout_ns);
}

void CpuTimers::ThreadStarted(uint32_t os_id) {
  if (OnOwnThread()) return;
  starting_.fetch_add(1);  // before checking whether sampling ends: that waits for this
  if (worker_.running() && !stopping_) {
    const ThreadTrack* track = emitter_.Track();
    const bool is_own = track != nullptr && track->os_id.load(std::memory_order_relaxed) == os_id;
    sigset_t blocked;
    const bool may =
        is_own && pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 && !Blocks(blocked);
    const StackBounds stack =
        is_own ? StackBounds{track->stack_low, track->stack_high} : StackBounds{};
    const bool is_small = LeftOutThreads::IsSmall(stack);
    int error = 0;
    CpuSlot* slot = may && !is_small ? StartTimer(os_id, stack, error) : nullptr;
    const bool is_handed_over = HandOver(os_id, slot, is_small);
    if (!is_handed_over && slot != nullptr) Retire(*slot);
    if (!is_handed_over || (slot == nullptr && !is_small)) {
      scan_wanted_.store(true, std::memory_order_relaxed);
      waker_.Wake();
    }
  }
  starting_.fetch_sub(1);
}

bool CpuTimers::HandOver(uint32_t os_id, CpuSlot* slot, bool has_small_stack) {
  for (Started& place : started_) {
    uint32_t free = Started::kFree;
    if (!place.state.compare_exchange_strong(free, Started::kFilling)) continue;
    place.os_id = os_id;
    place.slot = slot;
    place.has_small_stack = has_small_stack;
    place.state.store(Started::kFull, std::memory_order_release);
    return true;
  }
  return false;
}

int CpuSampler::Signal() {
  return CpuSignal::Number() != 0 || CpuSignal::Install() ? CpuSignal::Number() : 0;
}

int CpuSampler::KeptSignal() { return CpuSignal::IsKept() ? CpuSignal::Number() : 0; }

void CpuTimers::AddStarted() {
  for (Started& place : started_) {
    if (place.state.load(std::memory_order_acquire) != Started::kFull) continue;
    if (place.slot == nullptr && place.has_small_stack) {
      LeaveOutSmall(place.os_id);
    } else if (place.slot == nullptr) {
      left_out_.AddAnnounced(place.os_id, scan_);
    } else if (place.slot->signal == CpuSignal::Number()) {
      // A scan has already found the thread, or a dead one that had its id.
      if (const auto known = by_os_id_.find(place.os_id); known != by_os_id_.end()) {
        Retire(*known->second);
      }
      left_out_.Forget(place.os_id);
      Add(place.os_id, *place.slot);
    } else {  // that signal is now the application's
      Retire(*place.slot);
      scan_wanted_.store(true, std::memory_order_relaxed);
    }
    place.state.store(Started::kFree, std::memory_order_release);
  }
}

void CpuTimers::Add(uint32_t os_id, CpuSlot& slot) {
  changed_ns_ = MonotonicNs();
  slot.scan = scan_;
  slot.unanswered = 0;
  slot.undelivered = 0;
  slot.look = {};
  by_os_id_[os_id] = &slot;
}

// Other processes of the same user may have filled the queue since: then all our timers are given
// up.
void CpuTimers::LeaveRoomInQueue() {
  // Without a descriptor left, it is what was last read.
  if (const SignalQueue now = ReadSignalQueue(); now.limit != 0) queue_ = now;
  uint64_t used = queue_.used;
  if (used > queue_.limit - queue_.limit / 4) {
    used -= std::min<uint64_t>(used, by_os_id_.size());
    for (auto& [os_id, slot] : by_os_id_) Retire(*slot);
    by_os_id_.clear();
  }
  const uint64_t most = queue_.limit / 2;
  const uint64_t left = used < most ? most - used : 0;
  timers_left_ = static_cast<int64_t>(std::min<uint64_t>(left, kMaxCpuSlots));
}

void CpuTimers::LeaveOut(uint32_t os_id) {
  // Many block all signals only briefly, while they start or start another thread.
  if (!left_out_.Count(os_id, scan_)) scan_wanted_.store(true, std::memory_order_relaxed);
}

void CpuTimers::LeaveOutSmall(uint32_t os_id) {
  if (const auto known = by_os_id_.find(os_id); known != by_os_id_.end()) {
    Retire(*known->second);
    by_os_id_.erase(known);
  }
  left_out_.AddSmall(os_id, scan_);
}

// A thread may start to block the signal when its timer is already set. Then a period of its CPU
// time passes and no handler runs: the signal stays pending, and the kernel sends no second one. So
// its mask is read when more such periods have passed than at the last check. If the kernel is
// merely late, the mask is read in vain.
void CpuTimers::LookForBlocked(uint64_t now) {
  if (now < look_after_ns_) return;
  const uint64_t began = ThreadCpuNs();
  bool is_sent = false;
  for (auto it = by_os_id_.begin(); it != by_os_id_.end();) {
    const auto [os_id, slot] = *it;
    const uint64_t undelivered = Undelivered(os_id, *slot);
    const bool is_behind = undelivered > slot->undelivered;
    const uint64_t periods = slot->periods.Read();
    Keeps keeps = is_behind ? WouldKeepSignal(os_id, slot->signal, slot->look) : Keeps::kNo;
    // The handler blocks all signals itself.
    const bool is_handled = slot->handlers.load() != 0 || slot->periods.Read() != periods;
    const bool is_alone = keeps == Keeps::kAlone;
    if (is_alone) keeps = undelivered * period_ns_ < kHeldBackNs ? Keeps::kUnknown : Keeps::kYes;
    if (keeps == Keeps::kYes && is_handled) keeps = Keeps::kUnknown;
    if (keeps != Keeps::kYes) {
      if (keeps == Keeps::kNo) slot->undelivered = undelivered;  // otherwise it is checked again
      ++it;
      continue;
    }
    Retire(*slot);
    LeaveOut(os_id);
    left_out_.Of(os_id).is_alone_for_long = is_alone;
    it = by_os_id_.erase(it);
    is_sent = true;
  }
  if (is_sent) CpuSignal::DropPending();
  const uint64_t took_ns = ThreadCpuNs() - began;
  look_after_ns_ = MonotonicNs() + std::min(took_ns * kScanShare, kScanAgainNs);
}

uint64_t CpuTimers::Undelivered(uint32_t os_id, const CpuSlot& slot) const {
  // In this order: a handler that runs in between makes the result too small, which the next check
  // corrects.
  const uint64_t cpu_ns = CpuNsOfThread(os_id);
  const uint64_t delivered = slot.periods.Read() - slot.periods_before;
  if (cpu_ns < slot.due_cpu_ns) return 0;
  const uint64_t passed = (cpu_ns - slot.due_cpu_ns) / period_ns_ + 1;
  return passed > delivered ? passed - delivered : 0;
}

CpuSlot* CpuTimers::StartTimer(uint32_t os_id, const StackBounds& stack, int& error) {
  const int signal = CpuSignal::Number();
  error = EAGAIN;
  if (timers_left_.fetch_sub(1) <= 0) {
    timers_left_.fetch_add(1);
    return nullptr;
  }
  CpuSlot* slot = signal == 0 ? nullptr : CpuSlots::Instance().Claim(recording_);
  if (slot == nullptr) {
    timers_left_.fetch_add(1);
    return nullptr;
  }
  // The first period starts at a random point, so that threads that live for less than a period get
  // their share of samples.
  const uint64_t random = (MonotonicNs() ^ os_id) * 0x9e3779b97f4a7c15u;
  const uint64_t first_ns = 1 + (random >> 32) % period_ns_;
  slot->signal = signal;
  slot->due_cpu_ns = CpuNsOfThread(os_id) + first_ns;
  slot->periods_before = slot->periods.Read();
  slot->os_id.store(os_id, std::memory_order_relaxed);
  slot->asked_sp.store(0, std::memory_order_relaxed);
  slot->stack_low.store(stack.low, std::memory_order_relaxed);
  slot->stack_high.store(stack.high, std::memory_order_release);
  slot->sink.store(&sink_);

  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = slot;
  event._sigev_un._tid = static_cast<pid_t>(os_id);
  // libc's function would work too, but exists in different versions.
  if (syscall(SYS_timer_create, CpuClockOfThread(os_id), &event, &slot->timer) != 0) {
    error = errno;
    timers_left_.fetch_add(1);
    CpuSlots::Free(*slot);
    return nullptr;
  }
  itimerspec time;
  time.it_value = ToTimespec(first_ns);
  time.it_interval = ToTimespec(period_ns_);
  if (syscall(SYS_timer_settime, slot->timer, 0, &time, nullptr) == 0) return slot;
  error = errno;  // the thread has ended
  Retire(*slot);
  return nullptr;
}

// A thread id is reused eventually; the timer of the previous thread with that id then shows no
// interval (kernel/time/posix-cpu-timers.c, posix_cpu_timer_get, as of Linux 5.7).
bool CpuTimers::IsAlive(const CpuSlot& slot) const {
  itimerspec time = {};
  return syscall(SYS_timer_gettime, slot.timer, &time) == 0 &&
         (time.it_interval.tv_sec != 0 || time.it_interval.tv_nsec != 0);
}

void CpuTimers::Retire(CpuSlot& slot) {
  syscall(SYS_timer_delete, slot.timer);
  timers_left_.fetch_add(1);
  CpuSlots::Free(slot);
}

void CpuTimers::FindStacks() {
  if (MonotonicNs() < stacks_after_ns_) return;
  const uint64_t began = ThreadCpuNs();
  std::string maps;
  std::vector<uint32_t> small;
  for (auto& [os_id, slot] : by_os_id_) {
    const uintptr_t sp = slot->asked_sp.load(std::memory_order_acquire);
    if (sp == 0 || slot->stack_high.load(std::memory_order_relaxed) != 0) continue;
    if (maps.empty()) maps = ReadOwnMaps();
    const uintptr_t tp = slot->asked_tp.load(std::memory_order_relaxed);
    const StackBounds stack = FindStackBounds(maps, sp, tp);
    slot->stack_low.store(stack.low, std::memory_order_relaxed);
    slot->stack_high.store(stack.high, std::memory_order_release);
    // Unknown: another sample requests it again, perhaps on the thread's ordinary stack, but only a
    // few times.
    if (stack.known() || ++slot->unanswered < kMaxUnanswered) {
      slot->asked_sp.store(0, std::memory_order_release);
    }
    if (LeftOutThreads::IsSmall(stack)) small.push_back(os_id);
  }
  for (const uint32_t os_id : small) LeaveOutSmall(os_id);
  // With thousands of threads, the maps take tens of milliseconds to read.
  if (!maps.empty()) {
    stacks_after_ns_ = MonotonicNs() + (ThreadCpuNs() - began) * kNewThreadsShare;
  }
}

void CpuTimers::KeepSignal() {
  if (CpuSignal::Number() != 0 && !CpuSignal::IsKept()) TakeAnotherSignal();
  CpuFaults::HoldBack(CpuSignal::Number());
  CpuSignal::FitStacks();
}

// The application has started to use the signal itself, and keeps it.
void CpuTimers::TakeAnotherSignal() {
  for (auto& [os_id, slot] : by_os_id_) Retire(*slot);
  by_os_id_.clear();
  left_out_.ForgetAll();
  scan_wanted_.store(true, std::memory_order_relaxed);
  if (!CpuSignal::Install()) {
    report_("The application now uses every real-time signal: the source cpu is off from here on.");
  }
}

void CpuTimers::ReportUnsampled() {
  if (left_out_.cpu_ns() >= LeftOutThreads::kReportedNs && !reported_left_out_) {
    reported_left_out_ = true;
    note_(left_out_.Note());
  }
  if (refused_ == 0 || reported_refused_) return;
  reported_refused_ = true;
  report_(
      std::to_string(refused_) + (refused_ == 1 ? " thread is" : " threads are") +
      " not sampled by the source cpu: " +
      (refusal_ == EAGAIN
           ? "half of the user's queue of signals is left to the application. Raise the limit of "
             "pending signals (ulimit -i)."
           : "the system refuses timers (" + ErrorText(refusal_) + ")."));
}

void CpuTimers::EndSampling() {
  while (starting_.load() != 0) Sleep(1'000'000);
  AddStarted();
  for (auto& [os_id, slot] : by_os_id_) Retire(*slot);
  by_os_id_.clear();
  CpuSignal::DropPending();  // all timers are gone: none of our signals stays pending
  CpuSlots::Instance().ForEach(recording_, [](CpuSlot& slot) {
    // A handler takes microseconds, unless its thread has to wait for a processor.
    while (slot.handlers.load() != 0) Sleep(1'000'000);
  });
  left_out_.CountAll(scan_);
  if (left_out_.cpu_ns() >= LeftOutThreads::kReportedNs) note_(left_out_.Note());
}

}  // namespace hindsight::recorder
