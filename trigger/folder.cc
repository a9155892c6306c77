#include "trigger/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace hindsight::trigger {

bool ForEachName(int folder, const std::function<bool(std::string_view name)>& visit) {
  const int listed = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(listed), closedir);
  if (entries == nullptr) {
    const int error = errno;
    close(listed);
    errno = error;
    return false;
  }
  while (const dirent* entry = readdir(entries.get())) {
    if (!visit(entry->d_name)) break;
  }
  return true;
}

}  // namespace hindsight::trigger
