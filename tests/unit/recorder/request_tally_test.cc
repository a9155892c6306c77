#include "recorder/stream/request_tally.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace hindsight::recorder {
namespace {

TEST(RequestTallyTest, TheBalanceIsTheTimeThatRequestsTook) {
  RequestTally here, there;
  here.Started(1000);
  here.Started(1500);
  there.Finished(1700);
  here.Failed();
  here.Finished(4000);
  RequestCounts all, part;
  ASSERT_TRUE(here.Read(all));
  ASSERT_TRUE(there.Read(part));
  all += part;
  EXPECT_EQ(all.started, 2u);
  EXPECT_EQ(all.finished, 2u);
  EXPECT_EQ(all.failed, 1u);
  EXPECT_EQ(all.balance_ns, 3200u);
  EXPECT_EQ(all.in_flight(), 0u);
  here.Reset();
  ASSERT_TRUE(here.Read(all));
  EXPECT_EQ(all, RequestCounts());
}

// Whatever is read is a state that existed.
TEST(RequestTallyTest, WhatIsReadBelongsTogether) {
  constexpr uint64_t kRequests = 200'000, kTook = 7;
  RequestTally tally;
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (uint64_t i = 1; i <= kRequests; ++i) {
      tally.Started(1000 * i);
      tally.Finished(1000 * i + kTook);
    }
    over = true;
  });
  uint64_t reads = 0, last = 0;
  do {
    RequestCounts counts;
    if (!tally.Read(counts)) continue;
    ++reads;
    ASSERT_GE(counts.started, last);
    last = counts.started;
    const uint64_t begun_ns = counts.in_flight() != 0 ? 1000 * counts.started : 0;
    ASSERT_EQ(counts.balance_ns, kTook * counts.finished - begun_ns);
  } while (!over);
  writer.join();
  EXPECT_GT(reads, 0u);
}

}  // namespace
}  // namespace hindsight::recorder
