// Facts about a process from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trigger/result.h"
#include "trigger/unique_fd.h"

namespace hindsight::trigger {

struct Process {
  pid_t pid = 0;
  pid_t inner_pid = 0;  // in its own pid namespace
  char state = '?';     // as in /proc/PID/stat: T stopped, t traced, Z zombie, X dead
  uint64_t start_ticks = 0;
  uid_t uid = 0;  // effective
  gid_t gid = 0;
  std::vector<gid_t> groups;
  bool other_mounts = false;  // its mount namespace or its root is not ours
  std::vector<std::string> arguments;

  // From here on, only what the kernel lets us see; `hidden` says why if it does not.
  std::string hidden;
  std::string environment;   // NUL-separated, as at the start of the process
  std::string runtime_path;  // of libcoreclr.so; empty: not mapped
  bool musl = false;
  bool glibc = false;
  UniqueFd root;  // its root folder, O_PATH

  bool stopped() const { return state == 'T' || state == 't'; }
  bool ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
  // Arguments joined by one space.
  std::string CommandLine() const;
  // Value of a variable in its initial environment; empty if absent.
  std::string_view Environment(std::string_view name) const;
};

// Fails only if there is no such process.
Result<Process> InspectProcess(pid_t pid);

// The arguments of a /proc/PID/cmdline.
std::vector<std::string> SplitArguments(const std::string& command_line);

// Every process visible in /proc, in ascending order.
std::vector<pid_t> AllProcesses();

std::string UserName(uid_t uid);

// A whole small file of /proc; false: it cannot be read.
bool ReadProcFile(const std::string& path, std::string& out);

}  // namespace hindsight::trigger
