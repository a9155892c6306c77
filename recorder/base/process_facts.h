// Facts about the recorded process, for message Process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

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
  uint64_t started_unix_ns = 0;                // 0: unknown; exact to a clock tick (10 ms)
  std::vector<std::string> environment_names;  // sorted; never values
  // Of the runtime, from the environment: NAME=VALUE, sorted, with a number as the value.
  std::vector<std::string> runtime_settings;
  uint64_t open_files_limit = 0;  // 0: none, or unknown

  // The limit of the control group, or else of the machine; 0: unknown.
  uint64_t MemoryLimit() const {
    return cgroup_memory_limit_bytes != 0 ? cgroup_memory_limit_bytes : physical_memory_bytes;
  }
};

// Reads /proc and the cgroup file system; a fact that cannot be read keeps its default. Allocates
// and does I/O: once, on a recorder thread.
ProcessFacts ReadProcessFacts();

// The process's effective user id; 0 where users have no numbers.
uint32_t EffectiveUser();

// Memory that this process may still allocate, under the limits of its cgroup and of the machine;
// UINT64_MAX if that is unknown. File pages that the kernel can drop count as free.
uint64_t ReadAvailableMemory();

// Whether the kernel kills all processes of the control group instead of one when the group is out
// of memory (memory.oom.group of version 2, which Kubernetes sets for containers). False: no, or
// unknown.
bool IsKilledAsGroup();
// The same from the texts of /proc/self/cgroup and /proc/self/mountinfo.
bool IsKilledAsGroup(std::string_view cgroup, std::string_view mountinfo);

struct MemoryUse {
  uint64_t resident_bytes = 0;
  uint64_t anonymous_bytes = 0;  // of those, not backed by files
};
MemoryUse ReadMemoryUse();

// Open descriptors of this process, or handles on Windows; 0: unknown. Before Linux 6.2 they are
// counted one by one, a microsecond each.
uint32_t CountOpenFiles();

}  // namespace hindsight::recorder
