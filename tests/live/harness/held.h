// What a process holds in system resources: threads, descriptors, mappings, memory.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace hindsight::live {

struct Held {
  size_t threads = 0, descriptors = 0, mappings = 0;
  uint64_t anonymous_kib = 0;  // of its resident memory, without files
  uint64_t addresses_kib = 0;
};

// All zeros when the process is gone.
Held HeldBy(pid_t pid);
// The larger of each number.
Held Most(const Held& one, const Held& other);
std::ostream& operator<<(std::ostream& out, const Held& held);

// The number in a line of /proc/PID/status, for example `VmSize:`; 0 if there is none.
uint64_t StatusNumber(pid_t pid, const std::string& key);
size_t DescriptorsOf(pid_t pid);

}  // namespace hindsight::live
