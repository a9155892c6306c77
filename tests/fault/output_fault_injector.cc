// Preloaded into output_fault_writer: makes writes to regular files fail as the environment
// specifies.
//
//   FAULT_AT         the first write that fails, from 1
//   FAULT_TIMES      how many in a row (default 1)
//   FAULT_PERMILLE   how much of it reaches the file first (default 0)
//   FAULT            kill: SIGKILL. short: returns early. A number: this errno, after the part
//   FAULT_FTRUNCATE  errno of every ftruncate (default: it works)
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

long Setting(const char* name, long otherwise) {
  const char* value = getenv(name);
  return value != nullptr ? atol(value) : otherwise;
}

bool IsRegularFile(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

long writes = 0;
int pending_error = 0;  // of the write that was cut short just before

}  // namespace

extern "C" ssize_t write(int file, const void* data, size_t size) {
  if (file <= STDERR_FILENO || !IsRegularFile(file)) return syscall(SYS_write, file, data, size);
  if (pending_error != 0) {
    errno = pending_error;
    pending_error = 0;
    return -1;
  }
  const long first = Setting("FAULT_AT", 0);
  ++writes;
  if (writes < first || writes >= first + Setting("FAULT_TIMES", 1)) {
    return syscall(SYS_write, file, data, size);
  }
  const size_t part = size * static_cast<size_t>(Setting("FAULT_PERMILLE", 0)) / 1000;
  const ssize_t written = part > 0 ? syscall(SYS_write, file, data, part) : 0;
  const char* fault = getenv("FAULT");
  if (fault == nullptr || strcmp(fault, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
  if (strcmp(fault, "short") == 0) {
    --writes;  // the rest is the same write, not the next one
    return written > 0 ? written : syscall(SYS_write, file, data, 1);
  }
  if (written == 0) {
    errno = atoi(fault);
    return -1;
  }
  pending_error = atoi(fault);
  return written;
}

extern "C" int ftruncate(int file, off_t size) {
  const long error = Setting("FAULT_FTRUNCATE", 0);
  if (error == 0) return static_cast<int>(syscall(SYS_ftruncate, file, size));
  errno = static_cast<int>(error);
  return -1;
}
