// Memory from the system, in a process that has locked all of its memory.
#include "recorder/base/pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace hindsight::recorder {
namespace {

constexpr size_t kBytes = 64u << 20;

size_t ResidentBytes() {
  FILE* const file = std::fopen("/proc/self/statm", "re");
  size_t size = 0, resident = 0;
  const int got = std::fscanf(file, "%zu %zu", &size, &resident);
  std::fclose(file);
  return got == 2 ? resident * static_cast<size_t>(getpagesize()) : SIZE_MAX;
}

// The exit code of a process that locks its memory and maps some.
enum : int { kSparse, kNotAllowed, kNoMemory, kAllAtOnce };
int MapIn(void* (*map)(size_t)) {
  const pid_t child = fork();
  if (child == 0) {
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(kNotAllowed);
    const size_t before = ResidentBytes();
    void* const memory = map(kBytes);
    if (memory == nullptr) _exit(kNoMemory);
    if (ResidentBytes() - before > kBytes / 2) _exit(kAllAtOnce);
    std::memset(memory, 1, kBytes / 64);  // what is used can be used
    UnmapPages(memory, kBytes);
    _exit(kSparse);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(PagesTest, LargeMappingsStaySparseInAProcessThatLocksItsMemory) {
  for (void* (*map)(size_t) : {MapSharedPages, ReservePages}) {
    const int code = MapIn(map);
    if (code == kNotAllowed || code == kNoMemory) GTEST_SKIP() << "The limit is lower (ulimit -l).";
    EXPECT_EQ(code, kSparse);
  }
}

TEST(PagesTest, OtherwiseToo) {
  const size_t before = ResidentBytes();
  for (void* (*map)(size_t) : {MapSparsePages, MapSharedPages, ReservePages}) {
    void* const memory = map(kBytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_LT(ResidentBytes() - before, kBytes / 2);
    std::memset(memory, 1, 4096);
    UnmapPages(memory, kBytes);
  }
}

}  // namespace
}  // namespace hindsight::recorder
