// Preloaded into an application: delays the runtime's own start where it opens
// System.Private.CoreLib, after it has created the profiler.
//
// It creates the file that SLOW_START_HELD names; the start continues once the file that
// SLOW_START_UNTIL names exists, or after a minute.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

void Hold(const char* path) {
  const char* const held = std::getenv("SLOW_START_HELD");
  const char* const until = std::getenv("SLOW_START_UNTIL");
  if (held == nullptr || until == nullptr) return;
  if (std::strstr(path, "/System.Private.CoreLib.dll") == nullptr) return;
  const int file = openat(AT_FDCWD, held, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  constexpr int kLooks = 6000;
  constexpr timespec kBetween = {0, 10'000'000};
  struct stat found;
  for (int i = 0; i < kLooks && stat(until, &found) != 0; ++i) nanosleep(&kBetween, nullptr);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  Hold(path);
  return openat(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, mode_t);
  va_end(more);
  Hold(path);
  return openat64(AT_FDCWD, path, flags, mode);
}

}  // extern "C"
