// Folders that only their owner can write, made and checked without following symbolic links.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hindsight::recorder {

// Opens `<tmp>/hindsight-<uid>/<name>` (see recorder/contract/control.h), making the two folders
// when they are missing. Each has to be a real folder of the effective user's that nobody else can
// write. Returns a CLOEXEC descriptor that the caller closes, or -1 and a sentence in `why`. Any
// thread.
int OpenPrivateFolder(std::string_view tmp, std::string_view name, std::string* why);

// A folder `<tmp>/hindsight-<uid>-<random>` that did not exist before.
struct SpareFolder {
  int parent = -1;  // <tmp>, O_PATH | O_CLOEXEC; the caller closes both
  int folder = -1;
  std::string name;
};
// False: a sentence in `why`, and nothing is left behind. Any thread.
bool MakeSpareFolder(std::string_view tmp, SpareFolder* spare, std::string* why);
// Closes both, and removes the folder, which has to be empty.
void RemoveSpareFolder(SpareFolder* spare);

}  // namespace hindsight::recorder
