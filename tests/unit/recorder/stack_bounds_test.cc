#include "recorder/base/stack_bounds.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>

#include "recorder/base/mappings.h"

namespace hindsight::recorder {
namespace {

constexpr std::string_view kMaps =
    "5555a000-5555b000 r-xp 00000000 08:01 99 /usr/bin/app\n"
    "7f0000000000-7f0000001000 ---p 00000000 00:00 0 \n"
    "7f0000001000-7f0000801000 rw-p 00000000 00:00 0 \n"
    "7f0000801000-7f0000900000 rw-p 00000000 00:00 0 [anon:pool]\n"
    "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";

TEST(StackBounds, OfAThreadEndAtItsControlBlock) {
  const StackBounds found = FindStackBounds(kMaps, 0x7f0000700000, 0x7f0000800700);
  EXPECT_EQ(found.low, 0x7f0000001000u);
  EXPECT_EQ(found.high, 0x7f0000800700u);
}

TEST(StackBounds, OfTheFirstThreadAreTheKernels) {
  const StackBounds found = FindStackBounds(kMaps, 0x7ffc00010000, 0x7f0000001740);
  EXPECT_EQ(found.low, 0x7f0000900000u);  // it may grow
  EXPECT_EQ(found.high, 0x7ffc00021000u);
}

TEST(StackBounds, OfAnythingElseAreUnknown) {
  EXPECT_FALSE(FindStackBounds(kMaps, 0x7f0000850000, 0x7f0000800700).known());  // another stack
  EXPECT_FALSE(FindStackBounds(kMaps, 0x7f0000700000, 0x7f0000600000).known());  // below it
  EXPECT_FALSE(FindStackBounds(kMaps, 0x1000, 0x2000).known());
  EXPECT_FALSE(FindStackBounds("", 0x1000, 0x2000).known());
  EXPECT_FALSE(FindStackBounds("x-y\n7f00\n7f00-\n-\n\n", 0x1000, 0x2000).known());
}

StackBounds OfThisThread() {
  return FindStackBounds(ReadOwnMaps(), reinterpret_cast<uintptr_t>(__builtin_frame_address(0)),
                         reinterpret_cast<uintptr_t>(__builtin_thread_pointer()));
}

// `above`: how far beyond libc's end of the stack the kernel's may be.
void ExpectLibcs(const StackBounds& found, size_t above) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  ASSERT_TRUE(found.known());
  const auto end = reinterpret_cast<uintptr_t>(low) + size;
  EXPECT_LE(found.high, end + above);
  EXPECT_GE(found.high, end - (16u << 10));
}

TEST(StackBounds, AreTheRealOnes) {
  // The first thread's arguments and environment are above its frames, and libc does not count
  // them.
  ExpectLibcs(OfThisThread(), 2u << 20);
  std::thread([] { ExpectLibcs(OfThisThread(), 0); }).join();
}

}  // namespace
}  // namespace hindsight::recorder
