// Libraries that a process has mapped, and whether their files are still those that were loaded.
//
// A process that has a library mapped sees what is in the file now, so a file that is overwritten
// in place takes the ground from under the code. Pages that were relocated when it was loaded are
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
  uint64_t device = 0;   // as st_dev; some file systems (btrfs, overlays) show another one here
  uint64_t inode = 0;
  std::vector<Part> parts;  // in the order of addresses
};

// Those whose file's name, without its folder, is `name`; empty: all files that are mapped.
std::vector<MappedLibrary> FindMapped(const Process& process, const std::string& name);

// What the process's loader has loaded, as it calls it. It takes a name that it knows for the
// library it has, without a look at any file, also when that file has another name by now, which
// /proc/PID/maps then shows. And it reads in all of them whenever it loads another one: a library
// that is damaged ends the process then, whatever is loaded. Empty: nothing can be seen.
struct LoadedLibrary {
  std::string name;
  uint64_t address = 0;  // inside of it
};
std::vector<LoadedLibrary> FindLoaded(const Process& process);

// Why it can't be run any more: the end of a sentence that begins with its path. Empty: it is what
// was loaded, as far as can be seen; /proc/PID/mem may be closed to us, and then only the sizes
// tell. `exactly`: one relocation that does not fit is enough; else it takes half of them, since
// other people's libraries may have been patched by whoever watches over them.
std::string DamageOf(const Process& process, const MappedLibrary& library, bool exactly);

}  // namespace hindsight::trigger
