// A file that a fuzz target rewrites for every run, without a disk.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>

namespace hindsight::fuzz {

// Its path; it contains `bytes` until the next call.
inline std::string MemoryFile(std::span<const std::byte> bytes) {
  static const int descriptor = memfd_create("recording", MFD_CLOEXEC);
  if (descriptor < 0 || ftruncate(descriptor, 0) != 0) std::abort();
  if (pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace hindsight::fuzz
