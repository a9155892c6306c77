#include "recorder/base/condition.h"

#include <gtest/gtest.h>

#include <thread>

namespace hindsight::recorder {
namespace {

TEST(ConditionTest, EndsByTheMonotonicClock) {
  Condition condition;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  // By the wall clock the end would be decades in the past: no wait at all.
  const uint64_t began = MonotonicNs();
  EXPECT_FALSE(condition.wait_for(lock, std::chrono::milliseconds(50), [] { return false; }));
  EXPECT_GE(MonotonicNs() - began, 50'000'000u);
}

TEST(ConditionTest, WhatHoldsAlreadyIsNotWaitedFor) {
  Condition condition;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  EXPECT_TRUE(condition.wait_for(lock, std::chrono::nanoseconds(0), [] { return true; }));
  EXPECT_FALSE(condition.wait_for(lock, std::chrono::nanoseconds(-1), [] { return false; }));
  condition.wait(lock, [] { return true; });
}

TEST(ConditionTest, NotifyWakesWaitsHoweverLong) {
  Condition condition;
  std::mutex mutex;
  bool is_done = false;
  int woken = 0;
  std::thread bounded([&] {
    std::unique_lock lock(mutex);
    if (condition.wait_for(lock, std::chrono::nanoseconds::max(), [&] { return is_done; })) ++woken;
  });
  std::thread unbounded([&] {
    std::unique_lock lock(mutex);
    condition.wait(lock, [&] { return is_done; });
    ++woken;
  });
  {
    const std::lock_guard lock(mutex);
    is_done = true;
  }
  condition.notify_all();
  bounded.join();
  unbounded.join();
  EXPECT_EQ(woken, 2);
}

}  // namespace
}  // namespace hindsight::recorder
