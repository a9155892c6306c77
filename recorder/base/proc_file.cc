#include "recorder/base/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace hindsight::recorder {

std::string ReadProcFile(const std::string& path) {
  constexpr size_t kMaxFileBytes = 256u << 10;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return {};
  std::string text;
  char chunk[4096];
  while (text.size() < kMaxFileBytes) {
    const ssize_t got = read(file, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk, static_cast<size_t>(got));
  }
  close(file);
  return text;
}

}  // namespace hindsight::recorder
