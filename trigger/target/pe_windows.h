// What a Windows executable is built for. The file is not trusted. Only for files that are built
// for Windows alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hindsight::trigger {

struct PeFacts {
  uint16_t machine = 0;  // IMAGE_FILE_MACHINE_...
  bool is_library = false;
  uint64_t needed_bytes = 0;  // required by its sections
  uint64_t file_bytes = 0;
};

// Empty, with a Windows error: it cannot be read; with 0: it is not a program or library.
std::optional<PeFacts> ReadPe(const std::string& path, unsigned long& error);

// "x64", "arm64", ... or "machine 123".
std::string PeMachineName(uint16_t machine);

}  // namespace hindsight::trigger
