// What is worth knowing about the process that is recorded: for message Process.
//
// Read once, from /proc and the cgroup file system, on a recorder thread; a fact that cannot be
// read keeps its default. The parsers below are pure functions over text that may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

inline constexpr size_t kMaxCommandLineBytes = 16u << 10;  // over all arguments
inline constexpr size_t kMaxArguments = 256;
inline constexpr size_t kMaxEnvironmentNames = 1024;
inline constexpr size_t kMaxEnvironmentNameBytes = 256;

struct ProcessFacts {
  uint32_t pid = 0;         // in its own pid namespace
  std::string application;  // entry assembly's file name without extension, else argv[0]'s
  std::vector<std::string> command_line;
  std::string architecture;  // x86_64
  std::string os;            // Linux 6.1.0
  std::string host;
  uint32_t cpus = 0;                       // that the process may use
  uint64_t cgroup_memory_limit_bytes = 0;  // 0: none
  double cgroup_cpu_limit = 0;             // cores; 0: none
  uint64_t physical_memory_bytes = 0;
  uint64_t started_unix_ns = 0;                // 0: unknown; known to a clock tick (10 ms)
  std::vector<std::string> environment_names;  // sorted; never values
};

ProcessFacts ReadProcessFacts();

// ---- Parsers -----------------------------------------------------------------------------------

// /proc/self/cmdline: arguments that each end in NUL. Cut at the bounds above.
std::vector<std::string> ParseCommandLine(std::string_view text);

// The entry assembly of `dotnet [exec] [host options] App.dll ...`, or argv[0]; without folder and
// extension.
std::string ApplicationName(const std::vector<std::string>& command_line);

// /proc/self/environ: NAME=value entries that each end in NUL. Sorted, each name once.
std::vector<std::string> ParseEnvironmentNames(std::string_view text);

// /proc/self/stat: field 22, clock ticks between boot and the start of the process.
std::optional<uint64_t> ParseStartTicks(std::string_view stat);

// /proc/stat: the line `btime`, seconds from the epoch to boot.
std::optional<uint64_t> ParseBootSeconds(std::string_view stat);

// Where the process stands in the hierarchies: paths relative to the mounts' roots.
struct CgroupPaths {
  std::string unified;  // version 2
  std::string memory;   // version 1
  std::string cpu;      // version 1
};
CgroupPaths ParseCgroupPaths(std::string_view proc_self_cgroup);

// Where the hierarchies are mounted, and which part of each is visible there.
struct CgroupMount {
  std::string root;   // path in the hierarchy that the mount point shows
  std::string point;  // empty: not mounted
};
struct CgroupMounts {
  CgroupMount unified, memory, cpu;
};
CgroupMounts ParseCgroupMounts(std::string_view proc_self_mountinfo);

// Folders to look at, from the process's own up to the mount point.
std::vector<std::string> CgroupFolders(const CgroupMount& mount, std::string_view path);

// memory.max or memory.limit_in_bytes. Nothing: no limit ("max", or version 1's huge number).
std::optional<uint64_t> ParseMemoryLimit(std::string_view text);

// cpu.max: "200000 100000" is two cores. Nothing: no limit.
std::optional<double> ParseCpuMax(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us. Nothing: no limit.
std::optional<double> ParseCpuQuota(std::string_view quota, std::string_view period);

}  // namespace hindsight::recorder
