#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/base/regular_file.h"

namespace hindsight::analyzer {

std::optional<RegularFile> RegularFile::Open(const std::string& path, int& error) {
  // O_NONBLOCK: a FIFO must not block us; it is rejected below.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  error = errno;
  if (descriptor < 0) return std::nullopt;
  RegularFile file(descriptor, 0);
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) {
    error = errno;
    return std::nullopt;
  }
  error = 0;
  if (!S_ISREG(facts.st_mode)) return std::nullopt;
  file.size_ = static_cast<uint64_t>(facts.st_size);
  return file;
}

RegularFile::~RegularFile() {
  if (handle_ != kNone) close(static_cast<int>(handle_));
}

size_t RegularFile::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = pread(static_cast<int>(handle_), out.data() + done, out.size() - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace hindsight::analyzer
