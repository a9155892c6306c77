#include <windows.h>

#include <memory>
#include <string>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/base/own_cost.h"
#include "recorder/base/thread.h"

// Declared in processthreadsapi.h, but not in older headers.
extern "C" __declspec(dllimport) HRESULT WINAPI SetThreadDescription(HANDLE thread, PCWSTR name);

namespace hindsight::recorder {
namespace {

struct Start {
  const char* name;
  std::function<void()> body;
};

// A slot of the system's: reading it never allocates.
DWORD OwnThreadPlace() {
  static const DWORD place = TlsAlloc();
  return place;
}

DWORD WINAPI Run(void* argument) {
  const std::unique_ptr<Start> own(static_cast<Start*>(argument));
  const uint32_t os_id = CurrentThreadId();
  TlsSetValue(OwnThreadPlace(), own.get());
  ReplaceOwnThreadId(0, os_id);
  const std::string name = own->name;
  SetThreadDescription(GetCurrentThread(), std::wstring(name.begin(), name.end()).c_str());
  own->body();
  OwnCost::Instance().Add(&OwnCost::ended_threads_ns, ThreadCpuNs());
  NoteOwnThreadEnded(os_id);
  ReplaceOwnThreadId(os_id, 0);
  return 0;
}

}  // namespace

// TlsGetValue sets the thread's error to success.
bool OnOwnThread() {
  const DWORD error = GetLastError();
  const bool is_own = TlsGetValue(OwnThreadPlace()) != nullptr;
  SetLastError(error);
  return is_own;
}

uint32_t CurrentThreadId() { return GetCurrentThreadId(); }

uint32_t MainThreadId() { return 0; }

bool StartThread(const char* name, std::function<void()> body) {
  auto start = std::make_unique<Start>(Start{name, std::move(body)});
  const HANDLE thread = CreateThread(nullptr, kOwnThreadStackBytes, Run, start.get(),
                                     STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == nullptr) return false;
  (void)start.release();
  CloseHandle(thread);
  return true;
}

void RunWithApplicationSignals(const std::function<void()>& call) { call(); }

}  // namespace hindsight::recorder
