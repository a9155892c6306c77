#include <windows.h>

#include <psapi.h>
#include <winternl.h>

#include <algorithm>
#include <bit>

#include "recorder/base/command_line_windows.h"
#include "recorder/base/process_facts.h"
#include "recorder/base/process_parsers.h"
#include "recorder/base/wide_text_windows.h"
#include "recorder/contract/application.h"

// Declared in ntddk.h, which is not for programs.
extern "C" NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW version);

namespace hindsight::recorder {
namespace {

std::string SystemName() {
  RTL_OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  if (RtlGetVersion(&version) != 0) return "Windows";
  return "Windows " + std::to_string(version.dwMajorVersion) + '.' +
         std::to_string(version.dwMinorVersion) + '.' + std::to_string(version.dwBuildNumber);
}

std::string HostName() {
  wchar_t name[256];
  DWORD size = 256;
  return GetComputerNameExW(ComputerNameDnsHostname, name, &size) ? Utf8({name, size})
                                                                  : std::string();
}

// The processors of its group that its affinity allows, or all of the machine.
uint32_t AllowedCpus() {
  DWORD_PTR process = 0, system = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system) && process != 0) {
    return static_cast<uint32_t>(std::popcount(static_cast<uint64_t>(process)));
  }
  return GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

uint64_t StartedUnixNs() {
  constexpr uint64_t kTicksTo1970 = 116'444'736'000'000'000;  // of 100 ns, from 1601
  FILETIME created, ended, kernel, user;
  if (!GetProcessTimes(GetCurrentProcess(), &created, &ended, &kernel, &user)) return 0;
  const uint64_t ticks = uint64_t{created.dwHighDateTime} << 32 | created.dwLowDateTime;
  return ticks > kTicksTo1970 ? (ticks - kTicksTo1970) * 100 : 0;
}

void ReadEnvironment(ProcessFacts& facts) {
  std::vector<std::string>& names = facts.environment_names;
  wchar_t* const block = GetEnvironmentStringsW();
  if (block == nullptr) return;
  for (const wchar_t* at = block; *at != 0 && names.size() < kMaxEnvironmentNames;) {
    const std::wstring_view entry(at);
    at += entry.size() + 1;
    // Current folders of drives are in variables whose names begin with '='.
    const size_t end = entry.find(L'=', 1);
    if (entry[0] == L'=' || end == entry.npos) continue;
    std::string name = Utf8(entry.substr(0, end));
    const std::string value = Utf8(entry.substr(end + 1));
    if (IsRuntimeSetting(name, value)) facts.runtime_settings.push_back(name + '=' + value);
    if (name.size() <= kMaxEnvironmentNameBytes) names.push_back(std::move(name));
  }
  FreeEnvironmentStringsW(block);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::sort(facts.runtime_settings.begin(), facts.runtime_settings.end());
}

// The memory limit of the job that contains a container's processes. 0: none.
uint64_t JobMemoryLimit() {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  if (!QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits, sizeof limits,
                                 nullptr)) {
    return 0;
  }
  uint64_t limit = 0;
  const DWORD flags = limits.BasicLimitInformation.LimitFlags;
  if ((flags & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0) limit = limits.JobMemoryLimit;
  if ((flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0) {
    limit = limit == 0 ? limits.ProcessMemoryLimit
                       : std::min<uint64_t>(limit, limits.ProcessMemoryLimit);
  }
  return limit;
}

}  // namespace

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts;
  facts.pid = GetCurrentProcessId();
  facts.command_line = SplitCommandLine(GetCommandLineW());
  facts.application = contract::ApplicationName(facts.command_line);
  facts.architecture = "x86_64";
  facts.os = SystemName();
  facts.host = HostName();
  facts.cpus = AllowedCpus();
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  if (GlobalMemoryStatusEx(&memory)) facts.physical_memory_bytes = memory.ullTotalPhys;
  facts.cgroup_memory_limit_bytes = JobMemoryLimit();
  facts.started_unix_ns = StartedUnixNs();
  ReadEnvironment(facts);
  return facts;
}

uint32_t EffectiveUser() { return 0; }

uint64_t ReadAvailableMemory() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  // The smaller of what may be committed and the physical memory available for it.
  uint64_t room = UINT64_MAX;
  if (GlobalMemoryStatusEx(&memory)) room = std::min(memory.ullAvailPageFile, memory.ullAvailPhys);
  const uint64_t limit = JobMemoryLimit(), used = ReadMemoryUse().anonymous_bytes;
  if (limit != 0) room = std::min(room, limit - std::min(limit, used));
  return room;
}

// A job that is out of memory refuses allocations to all its processes, and ends none.
bool IsKilledAsGroup() { return false; }

MemoryUse ReadMemoryUse() {
  PROCESS_MEMORY_COUNTERS_EX use{};
  if (!K32GetProcessMemoryInfo(GetCurrentProcess(),
                               reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&use), sizeof use)) {
    return {};
  }
  return {use.WorkingSetSize, use.PrivateUsage};
}

uint32_t CountOpenFiles() {
  DWORD handles = 0;
  return GetProcessHandleCount(GetCurrentProcess(), &handles) ? handles : 0;
}

}  // namespace hindsight::recorder
