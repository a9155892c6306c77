#include "recorder/heap/readable.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace hindsight::recorder {

// The kernel copies the mask before it checks `how`, which is invalid: EINVAL if the memory was
// readable, EFAULT otherwise.
bool IsReadable(uint64_t address) {
  constexpr int kNoSuchHow = -1;
  return syscall(SYS_rt_sigprocmask, kNoSuchHow, address, nullptr, sizeof(uint64_t)) == -1 &&
         errno == EINVAL;
}

}  // namespace hindsight::recorder
