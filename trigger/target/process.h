// Facts about a process, as the system reports them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trigger/result.h"
#include "trigger/unique_fd.h"

namespace hindsight::trigger {

struct Process {
  int pid = 0;
  int inner_pid = 0;         // in its own pid namespace
  char state = '?';          // T stopped, t traced, Z zombie, X dead
  uint64_t start_ticks = 0;  // its start, on the system's clock
  uint32_t uid = 0;          // effective; 0 where users have no numbers, like gid and groups
  uint32_t gid = 0;
  std::vector<uint32_t> groups;
  bool other_mounts = false;  // its mount namespace or its root is not ours
  std::vector<std::string> arguments;

  // From here on, only what the system lets us see; `hidden` says why if it does not.
  std::string hidden;
  std::string environment;   // NUL-separated, as at the start of the process
  std::string runtime_path;  // of the runtime's library; empty: not mapped
  bool musl = false;
  bool glibc = false;
  UniqueFd root;  // its root folder; none where all processes have the same

  bool stopped() const { return state == 'T' || state == 't'; }
  bool ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
  // Arguments joined by one space.
  std::string CommandLine() const;
  // Value of a variable in its initial environment; empty if absent.
  std::string_view Environment(std::string_view name) const;
};

// Fails only if there is no such process.
Expected<Process> InspectProcess(int pid);

// From the command line alone; none if it cannot be seen.
std::vector<std::string> ArgumentsOf(int pid);

// Every process that is visible, in ascending order.
std::vector<int> AllProcesses();

int OwnPid();
// By name.
std::string UserOf(const Process& process);
std::string OwnUser();

}  // namespace hindsight::trigger
