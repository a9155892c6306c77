#include "recorder/output/descriptor.h"

#include <cerrno>

namespace hindsight::recorder {

int Descriptor::Close() {
  if (fd_ < 0) return 0;
  // EINTR: Linux has freed the descriptor already, a second close could hit somebody else's.
  const int result = close(std::exchange(fd_, -1));
  return result == 0 || errno == EINTR ? 0 : errno;
}

}  // namespace hindsight::recorder
