#include <windows.h>

#include <tlhelp32.h>

#include "trigger/recorder_threads.h"
#include "trigger/target/handle_windows.h"

namespace hindsight::trigger {
namespace {

// Looked up at run time: the compiler's headers do not declare it.
using NamesThread = HRESULT(WINAPI*)(HANDLE thread, wchar_t** name);

NamesThread FindNamesThread() {
  const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
  return reinterpret_cast<NamesThread>(
      reinterpret_cast<void*>(GetProcAddress(kernel, "GetThreadDescription")));
}

}  // namespace

std::set<std::string> RecorderThreads(const Process& process) {
  std::set<std::string> ids;
  static const NamesThread names_thread = FindNamesThread();
  if (names_thread == nullptr) return ids;
  const UniqueHandle threads = Owned(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0));
  THREADENTRY32 entry{};
  entry.dwSize = sizeof(entry);
  for (BOOL more = threads && Thread32First(threads.get(), &entry); more;
       more = Thread32Next(threads.get(), &entry)) {
    if (entry.th32OwnerProcessID != static_cast<DWORD>(process.pid)) continue;
    const UniqueHandle thread =
        Owned(OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, entry.th32ThreadID));
    wchar_t* name = nullptr;
    if (!thread || FAILED(names_thread(thread.get(), &name))) continue;
    if (std::wstring_view(name).starts_with(L"hindsight-")) {
      ids.insert(std::to_string(entry.th32ThreadID));
    }
    LocalFree(name);
  }
  return ids;
}

Failure RecorderLeft(const Process& process) {
  return {TriggerExit::kRecorderSilent,
          "The recorder was attached to process " + std::to_string(process.pid) +
              ", but could not be reached, so it ended its recording and left.",
          "The process's stderr and the recording have details."};
}

}  // namespace hindsight::trigger
