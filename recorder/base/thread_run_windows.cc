#include <windows.h>

#include <tlhelp32.h>

#include <algorithm>

#include "recorder/base/clock.h"
#include "recorder/base/thread_run.h"
#include "recorder/base/thread_times_windows.h"
#include "recorder/base/wide_text_windows.h"

// Declared in processthreadsapi.h, but not in older headers.
extern "C" __declspec(dllimport) HRESULT WINAPI GetThreadDescription(HANDLE thread, PWSTR* name);

namespace hindsight::recorder {
namespace {

// A thread's kernel object, opened by id for one query.
class Thread {
 public:
  explicit Thread(uint32_t os_id)
      : handle_(os_id == 0 ? nullptr : OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, os_id)) {
  }
  ~Thread() {
    if (handle_ != nullptr) CloseHandle(handle_);
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

// Cycles are those of the processor's time-stamp counter, which runs at a constant rate, as
// measured by Windows.
uint64_t CyclesPerMillisecond() {
  static const uint64_t cycles = [] {
    DWORD mhz = 0, size = sizeof mhz;
    RegGetValueW(HKEY_LOCAL_MACHINE, L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", L"~MHz",
                 RRF_RT_REG_DWORD, nullptr, &mhz, &size);
    return uint64_t{mhz} * 1000;
  }();
  return cycles;
}

uint64_t Nanoseconds(const FILETIME& time) {
  return (uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime) * 100;
}

// Whether the system counts cycles per thread.
bool HasCycles() {
  static const bool has = [] {
    ULONG64 cycles = 0;
    return CyclesPerMillisecond() != 0 && QueryThreadCycleTime(GetCurrentThread(), &cycles) &&
           cycles != 0;
  }();
  return has;
}

}  // namespace

// From cycles, which are exact; the times that the system reports advance only with clock ticks.
uint64_t CpuNsOfThread(HANDLE thread) {
  if (thread == nullptr) return 0;
  ULONG64 cycles = 0;
  if (HasCycles()) {
    const uint64_t per_ms = CyclesPerMillisecond();
    if (!QueryThreadCycleTime(thread, &cycles)) return 0;
    return cycles / per_ms * 1'000'000 + cycles % per_ms * 1'000'000 / per_ms;
  }
  FILETIME created, ended, kernel, user;
  if (!GetThreadTimes(thread, &created, &ended, &kernel, &user)) return 0;
  // Not 0, which means that there is no such thread.
  return Nanoseconds(kernel) + Nanoseconds(user) + 1;
}

// The same clock that CpuNsOfThread uses.
uint64_t ThreadCpuNs() { return CpuNsOfThread(GetCurrentThread()); }

uint64_t CpuNsOfThread(uint32_t os_id) {
  const Thread thread(os_id);
  DWORD code = 0;
  // An ended thread can be queried as long as any process holds a handle to it.
  if (thread.get() != nullptr && GetExitCodeThread(thread.get(), &code) && code != STILL_ACTIVE) {
    return 0;
  }
  return CpuNsOfThread(thread.get());
}

// State and context switches of threads can only be queried for all processes at once.
ThreadRun ReadThreadRun(uint32_t os_id) {
  ThreadRun run;
  run.cpu_ns = CpuNsOfThread(os_id);
  return run;
}

bool RunSince::HasRun(uint32_t os_id, uint64_t ns) {
  constexpr uint64_t kPatienceNs = 2'000'000'000;  // a thread that sleeps does not run
  constexpr uint64_t kTicksNs = 32'000'000;        // two of the clock
  const uint64_t cpu_ns = CpuNsOfThread(os_id);
  const uint64_t now = MonotonicNs();
  const uint64_t enough = HasCycles() ? ns : std::max(ns, kTicksNs);
  if (until_ns_ == 0) {
    until_ns_ = now + kPatienceNs;
    if (first_cpu_ns_ == 0) first_cpu_ns_ = cpu_ns;
  }
  return cpu_ns == 0 || cpu_ns - first_cpu_ns_ >= enough || now >= until_ns_;
}

// Cannot be queried without stopping the thread.
uint64_t StackPointerOfThread(uint32_t) { return 0; }

std::string KernelNameOfThread(uint32_t os_id) {
  const Thread thread(os_id);
  wchar_t* text = nullptr;
  if (thread.get() == nullptr || FAILED(GetThreadDescription(thread.get(), &text))) return {};
  std::string name = Utf8(text);
  LocalFree(text);
  return name;
}

uint32_t CountThreadsNamed(std::string_view prefix) {
  const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
  if (all == INVALID_HANDLE_VALUE) return 0;
  uint32_t count = 0;
  THREADENTRY32 entry{};
  entry.dwSize = sizeof entry;
  for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry)) {
    if (entry.th32OwnerProcessID != GetCurrentProcessId()) continue;
    if (KernelNameOfThread(entry.th32ThreadID).starts_with(prefix)) ++count;
  }
  CloseHandle(all);
  return count;
}

}  // namespace hindsight::recorder
