#include "recorder/sources/cpu_signal.h"

#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "proto/limits.h"
#include "recorder/base/clock.h"
#include "recorder/sources/cpu_slots.h"

namespace hindsight::recorder {
namespace {

// Handlers of the application's over which ours was put, oldest first. A handler that was installed
// over ours may call it in turn: each level of such calls is handed to one handler further down, as
// if ours was not there.
constexpr size_t kMaxCovered = 16;
struct sigaction g_covered[kMaxCovered];
std::atomic<size_t> g_covered_count{0};

// Calls to covered handlers that the thread is in. Initial-exec: reading it allocates nothing.
__attribute__((tls_model("initial-exec"))) thread_local size_t t_calls = 0;

bool HasHandler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void CallCovered(int signal, siginfo_t* info, void* context) {
  const size_t count = g_covered_count.load(std::memory_order_acquire);
  if (t_calls >= count) return;
  const struct sigaction action = g_covered[count - 1 - t_calls];
  if (!HasHandler(action)) return;
  ++t_calls;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  --t_calls;
}

// The walk is bounded by what is known of the stack: an alternate stack, or one that nobody has
// looked up yet, tells only the place.
SignalStack WalkFrom(const InterruptedAt& at, CpuSlot& slot, const CpuSink& sink,
                     std::span<uintptr_t> out) {
  const uintptr_t high = slot.stack_high.load(std::memory_order_acquire);
  if (high != 0 && at.sp < high && at.sp >= slot.stack_low.load(std::memory_order_relaxed)) {
    return sink.walker.Walk(at, high, out);
  }
  if (high == 0 && slot.asked_sp.load(std::memory_order_relaxed) == 0) {
    slot.asked_tp.store(reinterpret_cast<uintptr_t>(__builtin_thread_pointer()),
                        std::memory_order_relaxed);
    slot.asked_sp.store(at.sp, std::memory_order_release);
    sink.sampler.Wake();
  }
  out[0] = at.ip;
  return {1, false, false};
}

void PutSample(CpuSlot& slot, const CpuSink& sink, uint64_t time_ns, uint32_t weight,
               const InterruptedAt& at) {
  if (!slot.has_ring.load(std::memory_order_relaxed) && !MapRing(slot, sink.budget)) {
    slot.unmapped.Add(1);
    return;
  }
  constexpr size_t kLeast = sizeof(CpuSampleEvent) + sizeof(uintptr_t);
  constexpr size_t kMost = sizeof(CpuSampleEvent) + kMaxStackDepth * sizeof(uintptr_t);
  size_t bytes;
  void* memory = slot.ring.ReserveUpTo(kLeast, kMost, bytes);
  if (memory == nullptr) {
    slot.dropped.Add(1);
    sink.drain.Wake();
    return;
  }
  auto& event = *static_cast<CpuSampleEvent*>(memory);
  auto* frames = reinterpret_cast<uintptr_t*>(&event + 1);
  const size_t room = (bytes - sizeof(event)) / sizeof(uintptr_t);
  const SignalStack stack = WalkFrom(at, slot, sink, {frames, room});
  const size_t used = sizeof(event) + stack.frames * sizeof(uintptr_t);
  event.header.units = static_cast<uint16_t>(used / 8);
  event.header.kind = EventKind::kCpuSample;
  event.header.thread = slot.os_id.load(std::memory_order_relaxed);
  event.header.time_ns = time_ns;
  event.weight = weight;
  event.frames = static_cast<uint16_t>(stack.frames);
  event.rooted = stack.rooted;
  slot.ring.Commit(used);
  slot.samples.Add(1);
  if (slot.ring.UsedByProducer() > slot.ring.capacity() / 2) sink.drain.Wake();
}

void TakeSample(CpuSlot& slot, const siginfo_t& info, const ucontext_t& context) {
  // In this order, and both sequentially consistent: once the sampler has taken the sink away and
  // then sees no handler in here, none will touch the ring any more.
  slot.in_handler.store(true);
  if (const CpuSink* sink = slot.sink.load()) {
    const uint64_t began = MonotonicNs();
    const auto& registers = context.uc_mcontext.gregs;
    const InterruptedAt at = {static_cast<uintptr_t>(registers[REG_RIP]),
                              static_cast<uintptr_t>(registers[REG_RSP]),
                              static_cast<uintptr_t>(registers[REG_RBP])};
    const auto overrun = static_cast<uint32_t>(info.si_overrun > 0 ? info.si_overrun : 0);
    PutSample(slot, *sink, began, 1 + overrun, at);
    const uint64_t took = MonotonicNs() - began;
    slot.handler_ns.Add(took);
    slot.handler_cpu_ns.Add(CpuHandlerCost::CpuOf(took));
    slot.histogram[CpuHandlerCost::BucketOf(took)].Add(1);
  }
  slot.in_handler.store(false);
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  CpuSlot* slot =
      info->si_code == SI_TIMER ? CpuSlots::Instance().Find(info->si_value.sival_ptr) : nullptr;
  if (slot != nullptr) {
    TakeSample(*slot, *info, *static_cast<const ucontext_t*>(context));
  } else {
    CallCovered(signal, info, context);
  }
  errno = saved;
}

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == OnSignal;
}

// Ours is put over `action`. False: it would not work below ours, or there are too many already.
bool Cover(const struct sigaction& action) {
  const size_t count = g_covered_count.load(std::memory_order_relaxed);
  if (HasHandler(action) && (action.sa_flags & SA_ONSTACK) != 0) return false;
  if (count != 0 && g_covered[count - 1].sa_handler == action.sa_handler) return true;
  if (count == kMaxCovered) return false;
  g_covered[count] = action;
  g_covered_count.store(count + 1, std::memory_order_release);
  return true;
}

void Uncover() {
  const size_t count = g_covered_count.load(std::memory_order_relaxed);
  if (count != 0) g_covered_count.store(count - 1, std::memory_order_release);
}

}  // namespace

bool CpuSignal::Install() {
  CpuSlots::Instance();  // not for the first time in the handler
  return KeepOnTop();
}

bool CpuSignal::KeepOnTop() {
  struct sigaction now;
  if (sigaction(kCpuSignal, nullptr, &now) != 0) return false;
  if (IsOurs(now)) return true;
  if (!Cover(now)) return false;
  struct sigaction ours = {};
  ours.sa_sigaction = OnSignal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&ours.sa_mask);
  // Blocked, these would end the process instead of coming to whom they are meant for.
  for (const int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
    sigdelset(&ours.sa_mask, synchronous);
  }
  struct sigaction before;
  if (sigaction(kCpuSignal, &ours, &before) != 0) {
    Uncover();
    return false;
  }
  return IsOurs(before) || Cover(before);  // it may have changed in between
}

void CpuSignal::Restore() {
  struct sigaction now;
  if (sigaction(kCpuSignal, nullptr, &now) != 0 || !IsOurs(now)) return;
  const size_t count = g_covered_count.load(std::memory_order_relaxed);
  if (count == 0) return;
  sigaction(kCpuSignal, &g_covered[count - 1], nullptr);
  Uncover();
}

}  // namespace hindsight::recorder
