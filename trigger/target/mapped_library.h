// Libraries that a process has mapped, and whether their files are still the ones that were loaded.
//
// A process with a mapped library sees the file's current content, so overwriting a file in place
// changes the code under it. Pages that were relocated at load time are the process's own copies.
// If the file is written page by page they remain, and no longer match. If it is truncated first,
// as cp does, the kernel drops them with the rest (truncate discards private copies, too), and the
// new pages are not relocated, even if the bytes are the same.
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
  std::string path;      // as in /proc/PID/maps, symbolic links resolved
  bool deleted = false;  // no file has that name any more, or a different one
  uint64_t device = 0;   // as st_dev; some file systems (btrfs, overlays) report another one here
  uint64_t inode = 0;
  std::vector<Part> parts;  // in order of address
};

// Those whose file name, without its folder, is `name`; empty: all mapped files.
std::vector<MappedLibrary> FindMapped(const Process& process, const std::string& name);

// What the process's loader has loaded, by its own names. It resolves a known name to the loaded
// library without checking any file, even if that file has another name by now, which
// /proc/PID/maps then shows. And it reads all of them whenever it loads another one: a damaged
// library then crashes the process, whatever is loaded. Empty: nothing is visible.
struct LoadedLibrary {
  std::string name;
  uint64_t address = 0;  // inside of it
};
std::vector<LoadedLibrary> FindLoaded(const Process& process);

// Why it can no longer be run: the end of a sentence that begins with its path. Empty: it is what
// was loaded, as far as can be seen; /proc/PID/mem may be inaccessible, and then only the sizes are
// compared. `exactly`: one relocation that does not match is enough; otherwise it takes half of
// them, because other libraries may have been patched by monitoring tools.
std::string DamageOf(const Process& process, const MappedLibrary& library, bool exactly);

}  // namespace hindsight::trigger
