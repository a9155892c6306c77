// Libraries that a process has mapped, and whether their files are still those that were loaded.
//
// A process that has a library mapped sees what is in the file now, so a file that is overwritten in
// place takes the ground from under the code. Pages that were relocated when it was loaded are
// copies of the process's own: where the file is written page by page they stay, and no longer fit;
// where it is cut to nothing first, as cp does, the kernel drops them with the rest (truncate takes
// private copies, too), and what comes back was never relocated, even if the bytes are the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trigger/target/process.h"

namespace hindsight::trigger {

struct MappedLibrary {
  struct Part {
    uint64_t begin = 0, end = 0, file_offset = 0;
  };
  std::string path;      // as /proc/PID/maps has it, symbolic links resolved
  bool deleted = false;  // nothing has that name any more, or another file
  uint64_t inode = 0;
  std::vector<Part> parts;  // in the order of addresses
};

// Those whose file's name, without its folder, is `name`.
std::vector<MappedLibrary> FindMapped(const Process& process, const std::string& name);

// Why it can't be run any more: the end of a sentence that begins with its path. Empty: it is what
// was loaded, as far as can be seen; /proc/PID/mem may be closed to us, and then only the sizes
// tell.
std::string DamageOf(const Process& process, const MappedLibrary& library);

}  // namespace hindsight::trigger
