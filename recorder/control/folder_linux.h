// Folders that only their owner can write, created and checked without following symbolic links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

// "<what> <path>: <the error's text>".
std::string Failed(std::string_view what, const std::string& path, int error);

// Opens `<tmp>/hindsight-<uid>/<name>` (see recorder/contract/control.h) and creates the two
// folders if they are missing. Each must be a real folder of the effective user that nobody else
// can write. Returns a CLOEXEC descriptor, or none and a sentence in `why`. Any thread.
Descriptor OpenPrivateFolder(std::string_view tmp, std::string_view name, std::string* why);

// A new folder `<tmp>/hindsight-<uid>-<random>`.
struct SpareFolder {
  Descriptor parent;  // <tmp>, O_PATH | O_CLOEXEC
  Descriptor folder;
  std::string name;
};
// False: a sentence in `why`, and nothing is left behind. Any thread.
bool MakeSpareFolder(std::string_view tmp, SpareFolder* spare, std::string* why);
// Closes both, and removes the folder, which has to be empty; nothing if there is none.
void RemoveSpareFolder(SpareFolder* spare);

}  // namespace hindsight::recorder
