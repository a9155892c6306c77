// A thread that is held by a real signal. Not among the tests that run under ThreadSanitizer: on a
// busy machine its own delivery of signals loses one in a hundred, and the thread is never held.
#include "recorder/base/thread_hold.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "recorder/base/clock.h"
#include "recorder/sources/cpu/cpu_sampler.h"

namespace hindsight::recorder {
namespace {

using std::chrono::milliseconds;

class ThreadHoldTest : public testing::Test {
 protected:
  void SetUp() override {
    hold_.UseSignal(CpuSampler::Signal());
    ASSERT_TRUE(Eventually([&] { return os_id_ != 0; }));
  }
  void TearDown() override {
    hold_.Release();
    stop_ = true;
    thread_.join();
  }
  static bool Eventually(const std::function<bool()>& holds) {
    const uint64_t until_ns = MonotonicNs() + 20'000'000'000;
    while (!holds()) {
      if (MonotonicNs() > until_ns) return false;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return true;
  }
  bool GetsOn() {
    const uint64_t before = count_;
    return Eventually([&] { return count_ != before; });
  }
  // This thread may have come too late to say that nothing more is needed.
  bool IsHeld() {
    return Eventually([&] {
      hold_.Renew();
      const uint64_t before = count_;
      std::this_thread::sleep_for(milliseconds(20));
      return count_ == before;
    });
  }
  void Begin() { hold_.Begin(os_id_, MonotonicNs() + 60'000'000'000); }

  ThreadHold& hold_ = ThreadHold::Instance();
  std::atomic<uint32_t> os_id_{0};
  std::atomic<uint64_t> count_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_{[this] {
    os_id_ = static_cast<uint32_t>(gettid());
    for (; !stop_; ++count_) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }};
};

TEST_F(ThreadHoldTest, HoldsUntilItIsReleased) {
  EXPECT_TRUE(GetsOn());
  Begin();
  hold_.NothingMoreNeeded();
  EXPECT_TRUE(IsHeld());
  hold_.Release();
  EXPECT_TRUE(GetsOn());
}

TEST_F(ThreadHoldTest, LetsGoWhereASuspensionMayWaitForIt) {
  Begin();
  hold_.NothingMoreNeeded();
  EXPECT_TRUE(IsHeld());
  hold_.SuspensionBegins();
  EXPECT_TRUE(GetsOn());
  hold_.SuspensionIsThere();
  hold_.HoldAgain();
  EXPECT_TRUE(IsHeld());
  // After a brief release it may be in managed code again, and a later one waits for it.
  hold_.SuspensionBegins();
  EXPECT_TRUE(GetsOn());
  hold_.SuspensionIsThere();
  hold_.Renew();
  EXPECT_TRUE(IsHeld());
}

TEST_F(ThreadHoldTest, LetsGoFromTimeToTimeWhileItMayOwnWhatIsNeeded) {
  Begin();
  EXPECT_TRUE(GetsOn());
  hold_.Renew();
  EXPECT_TRUE(GetsOn());
  hold_.NothingMoreNeeded();
  hold_.Renew();
  EXPECT_TRUE(IsHeld());
}

TEST_F(ThreadHoldTest, LetsGoWhenItsTimeIsOver) {
  hold_.Begin(os_id_, MonotonicNs() + 30'000'000);
  hold_.NothingMoreNeeded();
  EXPECT_TRUE(GetsOn());
  EXPECT_TRUE(GetsOn());
}

}  // namespace
}  // namespace hindsight::recorder
