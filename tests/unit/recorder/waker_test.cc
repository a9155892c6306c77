#include "recorder/stream/waker.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "recorder/base/clock.h"

namespace hindsight::recorder {
namespace {

// Long enough that a test which reaches it has failed.
constexpr uint64_t kNeverNs = 20'000'000'000;

class WakerTest : public testing::Test {
 protected:
  Waker waker_;
};

TEST_F(WakerTest, WakesAWaitThatComesLater) {
  waker_.Wake();
  EXPECT_TRUE(waker_.Wait(kNeverNs));
}

TEST_F(WakerTest, CountsManyWakeUpsAsOne) {
  for (int i = 0; i < 100; ++i) waker_.Wake();
  EXPECT_TRUE(waker_.Wait(kNeverNs));
  EXPECT_FALSE(waker_.Wait(0));
}

TEST_F(WakerTest, WakesAgainAfterAWait) {
  for (int i = 0; i < 100; ++i) {
    waker_.Wake();
    ASSERT_TRUE(waker_.Wait(kNeverNs)) << i;
  }
}

TEST_F(WakerTest, SaysWhenTheTimeIsOver) {
  EXPECT_FALSE(waker_.Wait(0));
  const uint64_t before = MonotonicNs();
  EXPECT_FALSE(waker_.Wait(1'500'000));
  EXPECT_GE(MonotonicNs() - before, 1'500'000u);
}

TEST_F(WakerTest, WakesAWaitWithoutAnEnd) {
  std::atomic<bool> woken{false};
  std::thread sleeper([&] { woken = waker_.Wait(UINT64_MAX); });
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  waker_.Wake();
  sleeper.join();
  EXPECT_TRUE(woken);
}

// The application may close every descriptor that it finds: a waker has none.
TEST_F(WakerTest, NeedsNoDescriptor) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Waker waker;
  waker.Wake();
  EXPECT_TRUE(waker.Wait(kNeverNs));
  const uint64_t began_ns = MonotonicNs();
  EXPECT_FALSE(waker.Wait(20'000'000));
  EXPECT_GE(MonotonicNs() - began_ns, 20'000'000u);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(WakerTest, LeavesErrnoAlone) {
  errno = ENOENT;
  waker_.Wake();
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(WakerTest, WakesAnotherThread) {
  std::atomic<bool> woken{false};
  std::thread sleeper([&] { woken = waker_.Wait(kNeverNs); });
  waker_.Wake();
  sleeper.join();
  EXPECT_TRUE(woken);
}

// What was stored before Wake is either seen by the check that follows a Wait, or wakes the next
// one. Two stores in a row, so that the second one reaches the waiting thread between waking and
// checking.
TEST_F(WakerTest, LosesNoWakeUpBetweenWakingAndLooking) {
  constexpr uint32_t kRounds = 100'000;
  std::atomic<uint32_t> stored{0};
  std::atomic<uint32_t> seen{0};
  std::atomic<bool> failed{false};
  std::thread producer([&] {
    for (uint32_t round = 1; round <= kRounds && !failed; ++round) {
      stored.store(2 * round - 1, std::memory_order_release);
      waker_.Wake();
      for (uint32_t pause = round % 64 * 8; pause > 0; --pause) asm volatile("" ::: "memory");
      stored.store(2 * round, std::memory_order_release);
      waker_.Wake();
      while (seen.load(std::memory_order_acquire) != 2 * round && !failed) {
        std::this_thread::yield();
      }
    }
  });
  for (uint32_t last = 0; last < 2 * kRounds;) {
    if (!waker_.Wait(kNeverNs)) {
      failed = true;
      break;
    }
    last = stored.load(std::memory_order_acquire);
    seen.store(last, std::memory_order_release);
  }
  producer.join();
  EXPECT_FALSE(failed) << "after " << seen.load() << " of " << 2 * kRounds;
}

}  // namespace
}  // namespace hindsight::recorder
