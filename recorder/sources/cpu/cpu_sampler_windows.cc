// On Windows nobody is told when a thread has used up a period of CPU time. So a thread of the
// recorder looks regularly at how much each thread has used. One that has used another period is
// suspended for as long as it takes to copy its registers and its stack; its callers are found in
// the copy when it runs again.
//
// While a thread is suspended, it may hold any lock: of the allocator, the loader, the runtime. So
// nothing is allocated then, and nothing called but the system itself. A thread that has not run
// since is not suspended.
//
// If the clock ticks every 16 ms, as it usually does, a look happens no more often than that: a
// sample then stands for more than one period.
#include "recorder/sources/cpu/cpu_sampler.h"

#include <windows.h>

#include <winternl.h>

#include <tlhelp32.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <unordered_map>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/base/own_memory.h"
#include "recorder/base/pages.h"
#include "recorder/base/thread.h"
#include "recorder/base/thread_times_windows.h"
#include "recorder/base/worker.h"
#include "recorder/sources/cpu/cpu_slots.h"
#include "recorder/stack/function_tables_windows.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxStackBytes = 256u << 10;  // that are copied, from the stack pointer on
constexpr size_t kCodeBytes = 48;              // the longest epilog
constexpr size_t kRingBytes = 512u << 10;      // of the samples of all threads

// A thread as it was when it was suspended.
struct Copy {
  CONTEXT context;
  CopiedStack stack;
  uint64_t time_ns;
};

// Of a handle that allows it; null: the system does not say. The thread's description in its memory
// begins with the bounds of the stack that it is on.
const NT_TIB* DescriptionOf(HANDLE thread) {
  struct {
    NTSTATUS exit_status;
    const NT_TIB* description;
    void* rest[4];
  } basic = {};
  constexpr auto kBasic = static_cast<THREADINFOCLASS>(0);
  return NT_SUCCESS(NtQueryInformationThread(thread, kBasic, &basic, sizeof basic, nullptr))
             ? basic.description
             : nullptr;
}

struct Thread {
  Thread(HANDLE handle, uint64_t due_cpu_ns)
      : handle(handle), description(DescriptionOf(handle)), due_cpu_ns(due_cpu_ns) {}
  ~Thread() { CloseHandle(handle); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  bool IsAlive() const { return WaitForSingleObject(handle, 0) == WAIT_TIMEOUT; }

  const HANDLE handle;
  const NT_TIB* const description;
  uint64_t due_cpu_ns;  // CPU time of the thread at the end of its current period
  uint64_t scan = 0;    // that saw it last
};

class Sampler final : public CpuSampler {
 public:
  Sampler(uint32_t hz, clr::ICorProfilerInfo10* info, CodeGate& gate, Emitter& emitter,
          MemoryBudget& budget, Waker& drain)
      : period_ns_(1'000'000'000 / hz),
        recording_(emitter.recording()),
        budget_(budget),
        drain_(drain),
        functions_(info, gate) {}
  ~Sampler() override { UnmapPages(words_, kMaxStackBytes); }

  void SkipStart() override {}
  std::string Start(std::shared_ptr<void> owner, std::function<void(std::string)> report,
                    std::function<void(std::string)> note) override;
  void ThreadStarted(uint32_t os_id) override;
  bool Stop(uint64_t timeout_ns) override {
    stopping_ = true;
    waker_.Wake();
    return worker_.WaitForEnd(timeout_ns);
  }

 private:
  static constexpr uint64_t kScanEveryNs = 1'000'000'000;
  static constexpr uint64_t kScanShare = 500;  // scans take at most 1/kScanShare of the time,
  static constexpr uint64_t kLookShare = 50;   // looks 1/kLookShare, without what samples take;
  // for that, and where no thread runs, they become rarer, up to this.
  static constexpr uint64_t kRarestLookNs = 100'000'000;

  void Run();
  void Scan();
  void AddStarted();
  void Add(uint32_t os_id);
  uint64_t Look();  // how long the samples took
  void Sample(uint32_t os_id, Thread& thread, uint32_t weight);
  bool CopyOf(const Thread& thread, Copy& out);
  bool CopySuspended(const Thread& thread, Copy& out);

  const uint64_t period_ns_;
  const uint64_t recording_;
  MemoryBudget& budget_;
  Waker& drain_;
  Waker waker_;
  // Filled by starting threads with their ids. If it is full, a scan finds them.
  std::array<std::atomic<uint32_t>, 256> started_ = {};
  std::atomic<bool> scan_wanted_{true};

  // Own thread.
  FunctionTables functions_;
  std::unordered_map<uint32_t, std::unique_ptr<Thread>> threads_;
  CpuSlot* slot_ = nullptr;
  uintptr_t* words_ = nullptr;  // where stacks are copied to
  uint64_t scan_ = 0, scan_after_ns_ = 0;
  bool has_run_ = false;  // a thread, at the last look

  std::atomic<bool> stopping_{false};
  Worker worker_;
};

std::string Sampler::Start(std::shared_ptr<void> owner, std::function<void(std::string)>,
                           std::function<void(std::string)>) {
  words_ = static_cast<uintptr_t*>(MapPages(kMaxStackBytes));
  if (words_ != nullptr && CpuSlots::Instance().Open()) {
    slot_ = CpuSlots::Instance().Claim(recording_);
  }
  std::string why = "There is no memory for the source cpu; everything else is recorded.";
  if (slot_ == nullptr) return why;
  if (slot_->has_ring || MapRing(*slot_, budget_, kRingBytes)) {
    if (worker_.Start("hindsight-cpu", std::move(owner), [this] { Run(); })) return {};
    why = "The thread for the source cpu could not be started; everything else is recorded.";
  }
  CpuSlots::Free(*slot_);
  return why;
}

void Sampler::ThreadStarted(uint32_t os_id) {
  if (OnOwnThread()) return;
  for (std::atomic<uint32_t>& place : started_) {
    uint32_t free = 0;
    if (place.compare_exchange_strong(free, os_id)) return;
  }
  scan_wanted_.store(true, std::memory_order_relaxed);
}

void Sampler::Run() {
  slot_->os_id = CurrentThreadId();  // what is lost, is lost here
  uint64_t pause_ns = period_ns_;
  while (!stopping_) {
    const uint64_t began = MonotonicNs();
    if (began >= scan_after_ns_ || scan_wanted_.exchange(false, std::memory_order_relaxed)) Scan();
    AddStarted();
    const uint64_t looked = MonotonicNs();
    const uint64_t samples_ns = Look();
    const uint64_t took_ns = MonotonicNs() - looked - samples_ns;
    pause_ns = has_run_ ? period_ns_ : std::min(2 * pause_ns, kRarestLookNs);
    waker_.Wait(std::max(pause_ns, std::min(took_ns * kLookShare, kRarestLookNs)));
  }
  threads_.clear();
  CpuSlots::Free(*slot_);
}

// The system lists the threads of all processes at once.
void Sampler::Scan() {
  const uint64_t began = MonotonicNs();
  functions_.Refresh();
  const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  if (all != INVALID_HANDLE_VALUE) {
    ++scan_;
    THREADENTRY32 entry{};
    entry.dwSize = sizeof entry;
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry)) {
      if (entry.th32OwnerProcessID == GetCurrentProcessId()) Add(entry.th32ThreadID);
    }
    CloseHandle(all);
    std::erase_if(threads_, [this](const auto& known) { return known.second->scan != scan_; });
  }
  const uint64_t now = MonotonicNs();
  scan_after_ns_ = now + std::max(kScanEveryNs, (now - began) * kScanShare);
}

void Sampler::AddStarted() {
  for (std::atomic<uint32_t>& place : started_) {
    if (const uint32_t os_id = place.load(std::memory_order_relaxed)) {
      Add(os_id);
      place.store(0, std::memory_order_relaxed);
    }
  }
}

void Sampler::Add(uint32_t os_id) {
  if (IsOwnThread(os_id)) return;
  const auto known = threads_.find(os_id);
  if (known != threads_.end() && known->second->IsAlive()) {
    known->second->scan = scan_;
    return;
  }
  const HANDLE handle = OpenThread(
      THREAD_SUSPEND_RESUME | THREAD_GET_CONTEXT | THREAD_QUERY_INFORMATION | SYNCHRONIZE, FALSE,
      os_id);
  if (handle == nullptr) return;
  // The first period ends at a random point, so that threads that live for less than one get their
  // share of samples.
  const uint64_t random = (MonotonicNs() ^ os_id) * 0x9e3779b97f4a7c15u;
  const uint64_t first_ns = 1 + (random >> 32) % period_ns_;
  std::unique_ptr<Thread>& thread = threads_[os_id];
  thread = std::make_unique<Thread>(handle, CpuNsOfThread(handle) + first_ns);
  thread->scan = scan_;
}

uint64_t Sampler::Look() {
  uint64_t samples_ns = 0;
  has_run_ = false;
  for (const auto& [os_id, thread] : threads_) {
    const uint64_t cpu_ns = CpuNsOfThread(thread->handle);
    if (cpu_ns < thread->due_cpu_ns) continue;
    has_run_ = true;
    const uint64_t periods = (cpu_ns - thread->due_cpu_ns) / period_ns_ + 1;
    thread->due_cpu_ns += periods * period_ns_;
    const uint64_t began = MonotonicNs();
    Sample(os_id, *thread, static_cast<uint32_t>(periods));
    samples_ns += MonotonicNs() - began;
  }
  return samples_ns;
}

void Sampler::Sample(uint32_t os_id, Thread& thread, uint32_t weight) {
  Copy copy;
  const uint64_t began = MonotonicNs();
  const bool is_copied = CopyOf(thread, copy);
  const uint64_t suspended_ns = MonotonicNs() - began;
  slot_->periods.Add(weight);
  slot_->handler_ns.Add(suspended_ns);  // no CPU time of the thread's
  slot_->histogram[CpuHandlerCost::BucketOf(suspended_ns)].Add(1);
  if (!is_copied) return;
  // Its general registers are in the order of their encoding.
  X64Registers registers{copy.context.Rip, {}};
  std::copy_n(&copy.context.Rax, registers.general.size(), registers.general.begin());
  std::array<uint8_t, kCodeBytes> bytes;
  std::span<const uint8_t> code(bytes);
  constexpr uintptr_t kPage = 4096;
  code = code.first(std::min(kCodeBytes, kPage - registers.ip % kPage));
  if (!ReadOwn(registers.ip, bytes.data(), code.size())) code = {};
  const auto walk = [&](std::span<uintptr_t> out) {
    return WalkCopiedStack(registers, code, copy.stack, copy.time_ns, functions_, out);
  };
  const bool is_added = AddSample(*slot_, os_id, copy.time_ns, weight, walk);
  if (!is_added) slot_->dropped.Add(1);
  if (!is_added || slot_->ring.UsedByProducer() > slot_->ring.capacity() / 2) drain_.Wake();
}

// False: the thread has ended, or the system does not let us.
bool Sampler::CopyOf(const Thread& thread, Copy& out) {
  if (thread.description == nullptr || SuspendThread(thread.handle) == static_cast<DWORD>(-1)) {
    return false;
  }
  const bool is_copied = CopySuspended(thread, out);
  ResumeThread(thread.handle);
  return is_copied;
}

// The thread is suspended: nothing here allocates or takes a lock. Memory is copied by the system,
// which fails where there is none: the thread may be terminated nevertheless, and its stack freed.
bool Sampler::CopySuspended(const Thread& thread, Copy& out) {
  out.context.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER;
  if (!GetThreadContext(thread.handle, &out.context)) return false;
  out.time_ns = MonotonicNs();
  NT_TIB now;
  if (!ReadOwn(reinterpret_cast<uintptr_t>(thread.description), &now, sizeof now)) return false;
  // Below the limit are the pages that make the stack grow when they are touched.
  const uintptr_t sp = out.context.Rsp;
  const auto low = reinterpret_cast<uintptr_t>(now.StackLimit);
  const auto high = reinterpret_cast<uintptr_t>(now.StackBase);
  size_t bytes = 0;
  if (sp % sizeof(uintptr_t) == 0 && sp >= low && sp < high) {
    bytes = std::min<size_t>(high - sp, kMaxStackBytes) / sizeof(uintptr_t) * sizeof(uintptr_t);
  }
  if (bytes != 0 && !ReadOwn(sp, words_, bytes)) bytes = 0;
  out.stack = {sp, {words_, bytes / sizeof(uintptr_t)}};
  return true;
}

}  // namespace

int CpuSampler::Signal() { return 0; }

int CpuSampler::KeptSignal() { return 0; }

std::unique_ptr<CpuSampler> MakeCpuSampler(uint32_t hz, clr::ICorProfilerInfo10* info,
                                           CodeGate& gate, Emitter& emitter, MemoryBudget& budget,
                                           Waker& drain, SignalWalker&) {
  return std::make_unique<Sampler>(hz, info, gate, emitter, budget, drain);
}

}  // namespace hindsight::recorder
