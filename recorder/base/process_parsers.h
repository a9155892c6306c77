// Parses the texts in which the kernel describes a process and its limits.
//
// Pure functions over arbitrary text, within the limits below: any thread.
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
inline constexpr size_t kMaxCgroupDepth = 64;

// /proc/self/cmdline: arguments that each end in NUL. Anything beyond the limits is left out.
std::vector<std::string> ParseCommandLine(std::string_view text);

// /proc/self/environ: NAME=value entries that each end in NUL. Sorted, each name once.
std::vector<std::string> ParseEnvironmentNames(std::string_view text);

// Whether a variable is a setting of the runtime that may be recorded with its value: its name
// begins with DOTNET_ or COMPlus_ and is not all capitals, as those of the SDK are, and the value
// is a number of at most 16 digits, hexadecimal ones too.
bool IsRuntimeSetting(std::string_view name, std::string_view value);

// Those of /proc/self/environ, as NAME=VALUE. Sorted.
std::vector<std::string> ParseRuntimeSettings(std::string_view text);

// /proc/self/stat, field 22: clock ticks from boot to the start of the process.
std::optional<uint64_t> ParseStartTicks(std::string_view stat);

// /proc/stat, line btime: seconds from the epoch to boot.
std::optional<uint64_t> ParseBootSeconds(std::string_view stat);

// A process's place in the hierarchy of a controller: in version 1 the controller's own, in version
// 2 the unified one.
struct CgroupPaths {
  std::optional<std::string> unified, memory, cpu;
};
CgroupPaths ParseCgroupPaths(std::string_view proc_self_cgroup);

// Where the hierarchies are mounted. A container sees only the part that starts at `root`.
struct CgroupMount {
  std::string root;
  std::string point;
};
struct CgroupMounts {
  std::optional<CgroupMount> unified, memory, cpu;
};
CgroupMounts ParseCgroupMounts(std::string_view proc_self_mountinfo);

// Folders whose limits apply to a process at `path`: from its own up to the mount point, which is
// always included: a container's own group is mounted there, whatever its path is outside.
std::vector<std::string> CgroupFolders(const CgroupMount& mount, std::string_view path);

// memory.max (version 2) or memory.limit_in_bytes (version 1). Empty: no limit, written as "max" or
// as a number near 2^63.
std::optional<uint64_t> ParseMemoryLimit(std::string_view text);

// Cores. cpu.max of version 2: "200000 100000" is 2. Empty: no limit ("max ...").
std::optional<double> ParseCpuMax(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us of version 1. Empty: no limit (-1).
std::optional<double> ParseCpuQuota(std::string_view quota, std::string_view period);

}  // namespace hindsight::recorder
