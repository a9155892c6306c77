#include "recorder/base/own_memory.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recorder/base/user_address.h"

namespace hindsight::recorder {

OwnMemory::OwnMemory() : file_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}

bool OwnMemory::Read(uintptr_t address, void* out, size_t size) const {
  return file_ && MayBeUserAddress(address) &&
         pread(file_.get(), out, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

bool ReadOwnWord(uintptr_t address, uintptr_t& out) {
  const iovec to{&out, sizeof(out)};
  const iovec from{reinterpret_cast<void*>(address), sizeof(out)};
  return syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) == sizeof(out);
}

}  // namespace hindsight::recorder
