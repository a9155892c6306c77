#include "recorder/base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace hindsight::recorder {

FileIdentity FileIdentity::Of(int fd) {
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) return {};
  return {true, status.st_dev, status.st_ino};
}

int Descriptor::NotStandard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int error = errno;
  const int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (other >= 0) close(fd);
  errno = error;
  return other >= 0 ? other : fd;
}

int Descriptor::Close() {
  if (fd_ < 0) return 0;
  const bool is_ours = IsOurs();
  const int fd = std::exchange(fd_, -1);
  if (!is_ours) return EBADF;
  // EINTR: Linux has already freed the descriptor; a second close could hit someone else's.
  const int result = close(fd);
  return result == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace hindsight::recorder
