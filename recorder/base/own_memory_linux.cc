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

namespace {

bool ReadAtOnce(uintptr_t address, void* out, size_t size) {
  const iovec to{out, size};
  const iovec from{reinterpret_cast<void*>(address), size};
  return syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace

bool ReadOwn(uintptr_t address, void* out, size_t size) {
  return ReadAtOnce(address, out, size) || OwnMemory().Read(address, out, size);
}

bool ReadOwnWord(uintptr_t address, uintptr_t& out) {
  return ReadAtOnce(address, &out, sizeof(out));
}

}  // namespace hindsight::recorder
