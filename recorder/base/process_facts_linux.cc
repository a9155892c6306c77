#include "recorder/base/process_facts.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>

#include "recorder/base/proc_file.h"
#include "recorder/base/process_parsers.h"
#include "recorder/contract/application.h"

namespace hindsight::recorder {
namespace {

// On machines with more CPUs than fit into a cpu_set_t, the call fails with EINVAL until the set is
// large enough.
uint32_t AllowedCpus() {
  constexpr int kMaxCpus = 1 << 16;
  for (int cpus = 1024; cpus <= kMaxCpus; cpus *= 4) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<size_t>(cpus)),
                                                               [](cpu_set_t* s) { CPU_FREE(s); });
    const size_t size = CPU_ALLOC_SIZE(static_cast<size_t>(cpus));
    if (set == nullptr) return 0;
    if (sched_getaffinity(getpid(), size, set.get()) == 0) {
      return static_cast<uint32_t>(CPU_COUNT_S(size, set.get()));
    }
    if (errno != EINVAL) return 0;
  }
  return 0;
}

template <typename Number>
void KeepTightest(std::optional<Number> limit, Number& tightest) {
  if (limit && (tightest == 0 || *limit < tightest)) tightest = *limit;
}

// A limit applies to all groups below it: the tightest one on the way up counts.
void ReadCgroupLimits(ProcessFacts& facts) {
  const CgroupPaths paths = ParseCgroupPaths(ReadProcFile("/proc/self/cgroup"));
  const CgroupMounts mounts = ParseCgroupMounts(ReadProcFile("/proc/self/mountinfo"));
  if (paths.unified && mounts.unified) {
    for (const std::string& folder : CgroupFolders(*mounts.unified, *paths.unified)) {
      KeepTightest(ParseMemoryLimit(ReadProcFile(folder + "/memory.max")),
                   facts.cgroup_memory_limit_bytes);
      KeepTightest(ParseCpuMax(ReadProcFile(folder + "/cpu.max")), facts.cgroup_cpu_limit);
    }
  }
  if (paths.memory && mounts.memory) {
    for (const std::string& folder : CgroupFolders(*mounts.memory, *paths.memory)) {
      KeepTightest(ParseMemoryLimit(ReadProcFile(folder + "/memory.limit_in_bytes")),
                   facts.cgroup_memory_limit_bytes);
    }
  }
  if (paths.cpu && mounts.cpu) {
    for (const std::string& folder : CgroupFolders(*mounts.cpu, *paths.cpu)) {
      KeepTightest(ParseCpuQuota(ReadProcFile(folder + "/cpu.cfs_quota_us"),
                                 ReadProcFile(folder + "/cpu.cfs_period_us")),
                   facts.cgroup_cpu_limit);
    }
  }
}

// `limit` minus used memory that cannot be dropped; all three are files of the cgroup.
std::optional<uint64_t> RoomOf(const std::string& folder, const char* limit_file,
                               const char* used_file) {
  const std::optional<uint64_t> limit = ParseMemoryLimit(ReadProcFile(folder + limit_file));
  const std::optional<uint64_t> used = ParseMemoryLimit(ReadProcFile(folder + used_file));
  if (!limit || !used) return std::nullopt;
  const std::string stat = ReadProcFile(folder + "/memory.stat");
  const size_t at = stat.find("inactive_file ");
  const uint64_t droppable =
      at == std::string::npos ? 0 : strtoull(stat.c_str() + at + 14, nullptr, 10);
  const uint64_t held = *used > droppable ? *used - droppable : 0;
  return *limit > held ? *limit - held : 0;
}

uint64_t StartedUnixNs() {
  constexpr uint64_t kNanoseconds = 1'000'000'000;
  const std::optional<uint64_t> ticks = ParseStartTicks(ReadProcFile("/proc/self/stat"));
  const std::optional<uint64_t> boot = ParseBootSeconds(ReadProcFile("/proc/stat"));
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  if (!ticks || !boot || ticks_per_second <= 0) return 0;
  return *boot * kNanoseconds + *ticks * (kNanoseconds / static_cast<uint64_t>(ticks_per_second));
}

}  // namespace

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts;
  facts.pid = static_cast<uint32_t>(getpid());
  facts.command_line = ParseCommandLine(ReadProcFile("/proc/self/cmdline"));
  facts.application = contract::ApplicationName(facts.command_line);
  utsname names{};
  if (uname(&names) == 0) {
    facts.architecture = names.machine;
    facts.os = std::string(names.sysname) + " " + names.release;
    facts.host = names.nodename;
  }
  facts.cpus = AllowedCpus();
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    facts.physical_memory_bytes = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_bytes);
  }
  facts.started_unix_ns = StartedUnixNs();
  const std::string environment = ReadProcFile("/proc/self/environ");
  facts.environment_names = ParseEnvironmentNames(environment);
  facts.runtime_settings = ParseRuntimeSettings(environment);
  // The runtime has raised its own limit to what is allowed before a profiler is loaded.
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    facts.open_files_limit = files.rlim_cur;
  }
  ReadCgroupLimits(facts);
  return facts;
}

uint32_t EffectiveUser() { return geteuid(); }

uint64_t ReadAvailableMemory() {
  const std::string machine = ReadProcFile("/proc/meminfo");
  uint64_t room = UINT64_MAX;
  const size_t at = machine.find("MemAvailable:");
  if (at != std::string::npos) room = strtoull(machine.c_str() + at + 13, nullptr, 10) * 1024;
  const CgroupPaths paths = ParseCgroupPaths(ReadProcFile("/proc/self/cgroup"));
  const CgroupMounts mounts = ParseCgroupMounts(ReadProcFile("/proc/self/mountinfo"));
  if (paths.unified && mounts.unified) {
    for (const std::string& folder : CgroupFolders(*mounts.unified, *paths.unified)) {
      room = std::min(room, RoomOf(folder, "/memory.max", "/memory.current").value_or(room));
    }
  }
  if (paths.memory && mounts.memory) {
    for (const std::string& folder : CgroupFolders(*mounts.memory, *paths.memory)) {
      room = std::min(
          room, RoomOf(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes").value_or(room));
    }
  }
  return room;
}

bool IsKilledAsGroup() {
  return IsKilledAsGroup(ReadProcFile("/proc/self/cgroup"), ReadProcFile("/proc/self/mountinfo"));
}

bool IsKilledAsGroup(std::string_view cgroup, std::string_view mountinfo) {
  const CgroupPaths paths = ParseCgroupPaths(cgroup);
  const CgroupMounts mounts = ParseCgroupMounts(mountinfo);
  if (!paths.unified || !mounts.unified) return false;
  const std::vector<std::string> folders = CgroupFolders(*mounts.unified, *paths.unified);
  return std::any_of(folders.begin(), folders.end(), [](const std::string& folder) {
    return ReadProcFile(folder + "/memory.oom.group").starts_with('1');
  });
}

MemoryUse ReadMemoryUse() {
  const std::string status = ReadProcFile("/proc/self/status");
  const auto field = [&status](std::string_view name) -> uint64_t {
    const size_t at = status.find(name);
    return at == std::string::npos
               ? 0
               : strtoull(status.c_str() + at + name.size(), nullptr, 10) * 1024;
  };
  return {field("VmRSS:"), field("RssAnon:")};
}

uint32_t CountOpenFiles() {
  constexpr const char* kFolder = "/proc/self/fd";
  struct stat status {};
  // Since Linux 6.2 the folder's size is their number.
  if (stat(kFolder, &status) == 0 && status.st_size > 0) {
    return static_cast<uint32_t>(status.st_size);
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> files(opendir(kFolder), closedir);
  if (files == nullptr) return 0;
  uint32_t count = 0;
  while (const dirent* entry = readdir(files.get())) count += entry->d_name[0] != '.';
  return count - 1;  // not the folder itself
}

}  // namespace hindsight::recorder
