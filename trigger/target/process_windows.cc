#include <windows.h>

#include <sddl.h>
#include <tlhelp32.h>
#include <winternl.h>

#include <algorithm>
#include <cwctype>

#include "analyzer/cli/wide_text_windows.h"
#include "trigger/target/handle_windows.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {
namespace {

constexpr size_t kMostCharacters = 1u << 20;  // of a command line or an environment

// The part of RTL_USER_PROCESS_PARAMETERS that winternl.h leaves out; the same in all Windows on
// x64 since Vista.
constexpr size_t kEnvironmentAt = 0x80;
constexpr size_t kEnvironmentBytesAt = 0x3f0;

bool ReadMemory(HANDLE process, const void* from, void* to, size_t bytes) {
  SIZE_T done = 0;
  return ReadProcessMemory(process, from, to, bytes, &done) && done == bytes;
}

std::wstring ReadText(HANDLE process, const void* from, size_t bytes) {
  std::wstring text(std::min(bytes / sizeof(wchar_t), kMostCharacters), L'\0');
  if (!ReadMemory(process, from, text.data(), text.size() * sizeof(wchar_t))) text.clear();
  return text;
}

// Command line and environment as they were passed to the process, read from its memory.
class Parameters {
 public:
  explicit Parameters(HANDLE process) : process_(process) {
    PROCESS_BASIC_INFORMATION basic{};
    if (NtQueryInformationProcess(process, ProcessBasicInformation, &basic, sizeof(basic),
                                  nullptr) != 0 ||
        basic.PebBaseAddress == nullptr) {
      return;
    }
    PEB peb{};
    if (ReadMemory(process, basic.PebBaseAddress, &peb, sizeof(peb))) {
      at_ = reinterpret_cast<const char*>(peb.ProcessParameters);
    }
  }

  explicit operator bool() const { return at_ != nullptr; }

  std::wstring CommandLine() const {
    RTL_USER_PROCESS_PARAMETERS parameters{};
    if (at_ == nullptr || !ReadMemory(process_, at_, &parameters, sizeof(parameters))) return {};
    return ReadText(process_, parameters.CommandLine.Buffer, parameters.CommandLine.Length);
  }

  std::string Environment() const {
    const void* block = nullptr;
    SIZE_T bytes = 0;
    if (at_ == nullptr || !ReadMemory(process_, at_ + kEnvironmentAt, &block, sizeof(block)) ||
        !ReadMemory(process_, at_ + kEnvironmentBytesAt, &bytes, sizeof(bytes))) {
      return {};
    }
    return cli::Utf8(ReadText(process_, block, bytes));
  }

 private:
  HANDLE process_;
  const char* at_ = nullptr;  // in the process
};

// A process is signaled once it has ended.
bool HasEnded(HANDLE process) { return WaitForSingleObject(process, 0) == WAIT_OBJECT_0; }

std::string RuntimePath(int pid) {
  const UniqueHandle modules = Owned(
      CreateToolhelp32Snapshot(TH32CS_SNAPMODULE | TH32CS_SNAPMODULE32, static_cast<DWORD>(pid)));
  MODULEENTRY32W entry{};
  entry.dwSize = sizeof(entry);
  for (BOOL more = modules && Module32FirstW(modules.get(), &entry); more;
       more = Module32NextW(modules.get(), &entry)) {
    std::wstring name = entry.szModule;
    std::transform(name.begin(), name.end(), name.begin(), std::towlower);
    if (name == L"coreclr.dll") return cli::Utf8(entry.szExePath);
  }
  return {};
}

// The file name of a process that shows nothing else.
std::string ImageName(int pid) {
  const UniqueHandle processes = Owned(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof(entry);
  for (BOOL more = processes && Process32FirstW(processes.get(), &entry); more;
       more = Process32NextW(processes.get(), &entry)) {
    if (entry.th32ProcessID == static_cast<DWORD>(pid)) return cli::Utf8(entry.szExeFile);
  }
  return {};
}

UniqueHandle Open(int pid, DWORD rights) {
  return Owned(OpenProcess(rights, FALSE, static_cast<DWORD>(pid)));
}

constexpr DWORD kToRead = PROCESS_QUERY_INFORMATION | PROCESS_VM_READ | SYNCHRONIZE;

std::string NameOfUser(const std::string& id) {
  void* sid = nullptr;
  if (id.empty() || !ConvertStringSidToSidW(cli::Utf16(id).c_str(), &sid)) return id;
  wchar_t name[256], domain[256];
  DWORD name_size = 256, domain_size = 256;
  SID_NAME_USE use;
  const bool is_known =
      LookupAccountSidW(nullptr, sid, name, &name_size, domain, &domain_size, &use);
  LocalFree(sid);
  return is_known ? cli::Utf8(name) : id;
}

}  // namespace

Expected<Process> InspectProcess(int pid) {
  const Failure missing = {TriggerExit::kNoSuchProcess,
                           "There is no process " + std::to_string(pid) + " here.",
                           "See hindsight-trigger list."};
  Process process;
  process.pid = process.inner_pid = pid;
  if (pid <= 0) return missing;
  UniqueHandle handle = Open(pid, kToRead);
  if (!handle) {
    process.hidden = ErrorText(GetLastError());
    handle = Open(pid, PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE);
  }
  const std::string image = ImageName(pid);
  if (!handle && image.empty()) return missing;
  if (!handle) {
    process.arguments = {image};
    return process;
  }
  FILETIME created{}, ended{}, kernel{}, user{};
  if (GetProcessTimes(handle.get(), &created, &ended, &kernel, &user)) {
    process.start_ticks = uint64_t{created.dwHighDateTime} << 32 | created.dwLowDateTime;
  }
  process.state = HasEnded(handle.get()) ? 'X' : 'R';
  if (process.ended() && image.empty()) return missing;
  if (process.hidden.empty()) {
    const Parameters parameters(handle.get());
    process.arguments = cli::Words(parameters.CommandLine().c_str());
    process.environment = parameters.Environment();
    process.runtime_path = RuntimePath(pid);
  }
  if (process.arguments.empty()) process.arguments = {image};
  return process;
}

std::vector<std::string> ArgumentsOf(int pid) {
  const UniqueHandle handle = Open(pid, kToRead);
  if (!handle) return {};
  return cli::Words(Parameters(handle.get()).CommandLine().c_str());
}

std::vector<int> AllProcesses() {
  std::vector<int> pids;
  const UniqueHandle processes = Owned(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
  PROCESSENTRY32W entry{};
  entry.dwSize = sizeof(entry);
  for (BOOL more = processes && Process32FirstW(processes.get(), &entry); more;
       more = Process32NextW(processes.get(), &entry)) {
    // 0 is the idle process.
    if (entry.th32ProcessID != 0) pids.push_back(static_cast<int>(entry.th32ProcessID));
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

int OwnPid() { return static_cast<int>(GetCurrentProcessId()); }

std::string UserOf(const Process& process) {
  const UniqueHandle handle = Open(process.pid, PROCESS_QUERY_LIMITED_INFORMATION);
  return handle ? NameOfUser(UserIdOf(handle.get())) : "?";
}

std::string OwnUser() { return NameOfUser(UserIdOf(GetCurrentProcess())); }

}  // namespace hindsight::trigger
