// Throws and ends, from events as the callbacks write them to packets on disk.
#include "recorder/sources/exceptions/exception_packets.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/recorder/exception_packets_test.h"

namespace hindsight::recorder {
namespace {

TEST_F(ExceptionTrackerTest, ReportsThrowAndEndInOnePacket) {
  Thrown({.ordinal = 1, .message = u"na\u00efve", .frames = {0x111, 0x222}}, 5'000);
  Ended(1, ExceptionEnd::kCaught, 5'700, 0x333);
  const Read read = Close();
  ASSERT_EQ(read.exceptions.size(), 1u);
  const hindsight::Exception& exception = read.exceptions.at(1);
  EXPECT_EQ(read.times.at(1), 5'000u);
  EXPECT_EQ(read.threads.at(exception.thread()), 4'000'001u);
  EXPECT_EQ(read.texts.at(exception.message()), "na\xc3\xafve");
  EXPECT_EQ(exception.outcome().kind(), Outcome::CAUGHT);
  EXPECT_EQ(exception.outcome().throw_to_end_ns(), 700u);
  EXPECT_EQ(exception.outcome().finally_count(), 2u);
  EXPECT_EQ(exception.outcome().filter_count(), 3u);
  EXPECT_EQ(read.frames.at(exception.outcome().catcher()).address(), 0x333u);
  EXPECT_TRUE(read.outcomes.empty());
  ASSERT_EQ(read.stacks.size(), 2u);  // from the root inwards
  EXPECT_EQ(read.frames.at(read.stacks[0].frame()).address(), 0x222u);
  EXPECT_EQ(read.stacks[0].parent(), 0u);
  EXPECT_EQ(read.frames.at(read.stacks[1].frame()).address(), 0x111u);
  EXPECT_EQ(read.stacks[1].parent(), read.stacks[0].id());
  EXPECT_EQ(exception.stack(), read.stacks[1].id());
}

TEST_F(ExceptionTrackerTest, ReportsEveryEnd) {
  const std::vector<std::pair<ExceptionEnd, Outcome::Kind>> ends = {
      {ExceptionEnd::kCaught, Outcome::CAUGHT},
      {ExceptionEnd::kReplaced, Outcome::REPLACED},
      {ExceptionEnd::kLostInFilter, Outcome::LOST_IN_FILTER},
      {ExceptionEnd::kUnhandled, Outcome::UNHANDLED},
      {ExceptionEnd::kCaughtNative, Outcome::CAUGHT_NATIVE}};
  for (uint64_t i = 0; i < ends.size(); ++i) {
    Thrown({.ordinal = i + 1, .object = 0x1000 * (i + 1)});
    Ended(i + 1, ends[i].first);
  }
  const Read read = Close();
  for (uint64_t i = 0; i < ends.size(); ++i) {
    EXPECT_EQ(read.exceptions.at(i + 1).outcome().kind(), ends[i].second);
  }
}

TEST_F(ExceptionTrackerTest, ReportsAnEndAfterTheSegmentAsAnOutcome) {
  Thrown({.ordinal = 1}, 1'000);
  Thrown({.ordinal = 2, .object = 0x2000}, 2'000);
  EndSegment();
  EndSegment();  // reports none again
  Ended(2, ExceptionEnd::kReplaced, 10'000);
  Ended(1, ExceptionEnd::kCaught, 11'000);
  Ended(1, ExceptionEnd::kCaught, 12'000);  // of a throw that is no longer known
  const Read read = Close();
  ASSERT_EQ(read.exceptions.size(), 2u);
  EXPECT_FALSE(read.exceptions.at(1).has_outcome());
  ASSERT_EQ(read.outcomes.at(1).size(), 1u);
  EXPECT_EQ(read.outcomes.at(1)[0].kind(), Outcome::CAUGHT);
  EXPECT_EQ(read.outcomes.at(1)[0].throw_to_end_ns(), 10'000u);
  EXPECT_EQ(read.outcomes.at(2).at(0).kind(), Outcome::REPLACED);
  EXPECT_EQ(read.outcomes.at(2).at(0).throw_to_end_ns(), 8'000u);
}

TEST_F(ExceptionTrackerTest, KeepsThreadsApart) {
  Thrown({.ordinal = 1, .object = 0x1000, .thread = 4'000'001});
  Thrown({.ordinal = 1, .object = 0x2000, .thread = 4'000'002});
  Ended(1, ExceptionEnd::kReplaced, 0, 0, 4'000'002);
  Ended(1, ExceptionEnd::kCaught, 0, 0, 4'000'001);
  const Read read = Close();
  EXPECT_EQ(read.exceptions.at(1).outcome().kind(), Outcome::CAUGHT);
  EXPECT_EQ(read.exceptions.at(2).outcome().kind(), Outcome::REPLACED);
  EXPECT_EQ(read.threads.at(read.exceptions.at(2).thread()), 4'000'002u);
}

TEST_F(ExceptionTrackerTest, TakesASearchWithoutEndForUnhandledAfterTheGrace) {
  Thrown({.ordinal = 1}, 1'000);
  EXPECT_FALSE(tracker_->HasSuspects());
  Searched(1, false, 2'000);
  EXPECT_TRUE(tracker_->HasSuspects());
  EXPECT_FALSE(tracker_->WriteUnhandled(2'499, 500, packets_));
  EXPECT_TRUE(tracker_->HasSuspects());
  EXPECT_TRUE(tracker_->WriteUnhandled(2'500, 500, packets_));
  EXPECT_FALSE(tracker_->HasSuspects());
  EXPECT_FALSE(tracker_->TakeCleared());
  const Read read = Close();
  EXPECT_EQ(read.exceptions.at(1).outcome().kind(), Outcome::UNHANDLED);
  EXPECT_EQ(read.exceptions.at(1).outcome().throw_to_end_ns(), 1'000u);
  EXPECT_TRUE(read.outcomes.empty());
}

TEST_F(ExceptionTrackerTest, ReportsWhatSeemedUnhandledAndIsNot) {
  Thrown({.ordinal = 1}, 1'000);
  Searched(1, false, 2'000);
  EXPECT_NE(tracker_->WriteUnhandled(3'000, 500, packets_), 0u);
  Ended(1, ExceptionEnd::kCaught, 4'000);
  EXPECT_TRUE(tracker_->TakeCleared());
  EXPECT_FALSE(tracker_->TakeCleared());
}

TEST_F(ExceptionTrackerTest, IsMoreCautiousAfterAFalseAlarm) {
  EXPECT_EQ(tracker_->silent_grace_ns(), kSilentGraceNs);
  for (uint64_t ordinal = 1; ordinal <= 4; ++ordinal) {
    Thrown({.ordinal = ordinal, .silent = true}, 1'000);
    EXPECT_NE(tracker_->WriteUnhandled(1'000 + tracker_->silent_grace_ns(), 0, packets_), 0u);
    Ended(ordinal, ExceptionEnd::kCaught, 9'000'000);
    EXPECT_EQ(tracker_->silent_run_ns(),
              std::min<uint64_t>(uint64_t{1} << ordinal, kMaxCaution) * kSilentRunNs);
  }
}

// Its thread does not exist: it waits for no processor.
TEST_F(ExceptionTrackerTest, TakesASilentThrowWithoutASignOfAHandlerForUnhandled) {
  Thrown({.ordinal = 1, .silent = true}, 1'000);
  EXPECT_FALSE(tracker_->HasSuspects());
  EXPECT_TRUE(tracker_->HasSilentSuspects());
  EXPECT_EQ(tracker_->last_silent_ns(), 1'000u);
  EXPECT_FALSE(tracker_->WriteUnhandled(1'000 + kSilentGraceNs - 1, 0, packets_));
  EXPECT_TRUE(tracker_->WriteUnhandled(1'000 + kSilentGraceNs, 0, packets_));
  EXPECT_FALSE(tracker_->HasSilentSuspects());
  const Read read = Close();
  EXPECT_EQ(read.exceptions.at(1).outcome().kind(), Outcome::UNHANDLED);
}

TEST_F(ExceptionTrackerTest, ClearsASilentThrowAtAnySignOfAHandler) {
  Thrown({.ordinal = 1, .object = 0x1000, .silent = true}, 1'000);
  Thrown({.ordinal = 2, .object = 0x2000, .silent = true}, 1'000);
  Searched(1, true, 2'000);
  EXPECT_TRUE(tracker_->HasSilentSuspects());
  Ended(2, ExceptionEnd::kCaught, 2'200);
  EXPECT_FALSE(tracker_->HasSilentSuspects());
  EXPECT_FALSE(tracker_->WriteUnhandled(UINT64_MAX, 0, packets_));
}

// One that only waits for a processor may still find a handler; this thread runs and runs.
TEST_F(ExceptionTrackerTest, GivesTheThreadOfASilentThrowItsTime) {
  const auto self = static_cast<uint32_t>(gettid());
  Thrown({.ordinal = 1, .thread = self, .silent = true}, 1'000);
  EXPECT_FALSE(tracker_->WriteUnhandled(UINT64_MAX, 0, packets_));
  const uint64_t begun_ns = CpuNsOfThread(self);
  while (CpuNsOfThread(self) - begun_ns < kSilentRunNs) continue;
  EXPECT_TRUE(tracker_->WriteUnhandled(UINT64_MAX, 0, packets_));
}

TEST_F(ExceptionTrackerTest, OverrulesWhatAHandlerHasThrownOn) {
  Thrown({.ordinal = 1, .silent = true}, 1'000);
  Ended(1, ExceptionEnd::kCaught, 2'000);
  EXPECT_FALSE(tracker_->WriteUnhandledAfterAll(4'000'001, 2, 9'000, packets_));  // no such throw
  EXPECT_FALSE(tracker_->WriteUnhandledAfterAll(4'000'002, 1, 9'000, packets_));
  EXPECT_TRUE(tracker_->WriteUnhandledAfterAll(4'000'001, 1, 9'000, packets_));
  EXPECT_FALSE(tracker_->WriteUnhandledAfterAll(4'000'001, 1, 9'500, packets_));  // once
  const Read read = Close();
  EXPECT_EQ(read.exceptions.at(1).outcome().kind(), Outcome::CAUGHT);
  ASSERT_EQ(read.outcomes.at(1).size(), 1u);
  EXPECT_EQ(read.outcomes.at(1)[0].kind(), Outcome::UNHANDLED);
  EXPECT_EQ(read.outcomes.at(1)[0].throw_to_end_ns(), 8'000u);
}

TEST_F(ExceptionTrackerTest, TakesThatBackWhereSomebodyHandlesItAfterAll) {
  Thrown({.ordinal = 1, .silent = true}, 1'000);
  Ended(1, ExceptionEnd::kCaught, 2'000);
  EXPECT_TRUE(tracker_->WriteUnhandledAfterAll(4'000'001, 1, 9'000, packets_));
  Thrown({.ordinal = 2, .has_trace = true, .handler = 1, .silent = true}, 10'000);
  Ended(2, ExceptionEnd::kCaught, 11'000);
  const Read read = Close();
  ASSERT_EQ(read.outcomes.at(1).size(), 2u);
  EXPECT_EQ(read.outcomes.at(1)[1].kind(), Outcome::CAUGHT);
  EXPECT_EQ(read.exceptions.at(2).previous_delta(), 1u);
}

// The event of another exception, which the handler threw, was long in coming.
TEST_F(ExceptionTrackerTest, TakesThatBackWhereTheHandlerThrewAnotherOne) {
  Thrown({.ordinal = 1, .silent = true}, 1'000);
  Ended(1, ExceptionEnd::kCaught, 2'000);
  EXPECT_TRUE(tracker_->WriteUnhandledAfterAll(4'000'001, 1, 9'000, packets_));
  // Code that runs because nobody handles it throws as well.
  Thrown({.ordinal = 2, .object = 0x2000, .handler = 1, .silent = true}, 9'500);
  Thrown({.ordinal = 3, .object = 0x3000, .handler = 2, .silent = true, .mistrusted = true}, 9'600);
  EndSegment();
  Thrown({.ordinal = 4, .object = 0x4000, .handler = 1, .silent = true, .mistrusted = true},
         10'000);
  const Read read = Close();
  ASSERT_EQ(read.outcomes.at(1).size(), 2u);
  EXPECT_EQ(read.outcomes.at(1)[0].kind(), Outcome::UNHANDLED);
  EXPECT_EQ(read.outcomes.at(1)[1].kind(), Outcome::CAUGHT);
  EXPECT_EQ(read.outcomes.at(1)[1].throw_to_end_ns(), 9'000u);
  EXPECT_EQ(read.exceptions.at(4).previous_delta(), 0u);
}

// In a storm segments end all the time, also between the unhandled throw and the end of its grace
// period.
TEST_F(ExceptionTrackerTest, ReportsThatAThrowOfAnEarlierSegmentIsUnhandled) {
  Thrown({.ordinal = 1}, 1'000);
  Searched(1, false, 2'000);
  EndSegment();
  EXPECT_TRUE(tracker_->WriteUnhandled(2'500, 500, packets_));
  const Read read = Close();
  EXPECT_FALSE(read.exceptions.at(1).has_outcome());
  ASSERT_EQ(read.outcomes.at(1).size(), 1u);
  EXPECT_EQ(read.outcomes.at(1)[0].kind(), Outcome::UNHANDLED);
  EXPECT_EQ(read.outcomes.at(1)[0].throw_to_end_ns(), 1'000u);
}

TEST_F(ExceptionTrackerTest, AmendsUnhandledByALaterOutcome) {
  Thrown({.ordinal = 1}, 1'000);
  Searched(1, false, 2'000);
  EXPECT_TRUE(tracker_->WriteUnhandled(9'000, 500, packets_));
  Ended(1, ExceptionEnd::kCaught, 10'000);
  const Read read = Close();
  EXPECT_EQ(read.exceptions.at(1).outcome().kind(), Outcome::UNHANDLED);
  ASSERT_EQ(read.outcomes.at(1).size(), 1u);
  EXPECT_EQ(read.outcomes.at(1)[0].kind(), Outcome::CAUGHT);
  EXPECT_EQ(read.outcomes.at(1)[0].throw_to_end_ns(), 9'000u);
}

TEST_F(ExceptionTrackerTest, ClearsASuspectThatFoundAHandlerOrEnded) {
  Thrown({.ordinal = 1, .object = 0x1000}, 1'000);
  Thrown({.ordinal = 2, .object = 0x2000}, 1'000);
  Searched(1, false, 2'000);
  Searched(2, false, 2'000);
  Searched(1, true, 2'100);
  EXPECT_TRUE(tracker_->HasSuspects());
  Ended(2, ExceptionEnd::kCaught, 2'200);
  EXPECT_FALSE(tracker_->HasSuspects());
  EXPECT_FALSE(tracker_->WriteUnhandled(UINT64_MAX, 0, packets_));
  const Read read = Close();
  EXPECT_FALSE(read.exceptions.at(1).has_outcome());
  EXPECT_EQ(read.exceptions.at(2).outcome().kind(), Outcome::CAUGHT);
}

// Threads that die in mid-flight leave throws whose ends never come.
TEST_F(ExceptionTrackerTest, BoundsWhatIsInFlight) {
  constexpr uint64_t kThrows = 40'000;
  uint64_t largest = 0;
  for (uint64_t ordinal = 1; ordinal <= kThrows; ++ordinal) {
    if (packets_.full()) EndSegment();
    Thrown({.ordinal = ordinal, .object = ordinal * 64});
    Searched(ordinal, false, 1);
    largest = std::max(largest, tracker_->memory_bytes());
  }
  EXPECT_LT(largest, 3u << 20);
  const Read read = Close();
  EXPECT_EQ(read.exceptions.size(), kThrows);  // each reported, none twice
}

// Threads die with exceptions in flight, and nothing reports it: the oldest are given up, and their
// ends are counted if they come after all. All others have their end.
TEST_F(ExceptionTrackerTest, GivesUpTheOldestOfTooManyAndCountsTheirEnds) {
  constexpr uint64_t kThrows = 16'384 + 100;
  for (uint64_t i = 1; i <= kThrows; ++i) {
    Thrown({.ordinal = i, .object = 0x1000 + 8 * i});
    if (packets_.full()) EndSegment();
  }
  EXPECT_EQ(tracker_->unknown_ends(), 0u);
  for (uint64_t i = kThrows; i >= 1; --i) {
    Ended(i);
    if (packets_.full()) EndSegment();
  }
  const uint64_t unknown = tracker_->unknown_ends();
  EXPECT_GT(unknown, 0u);
  EXPECT_LE(unknown, 16'384u / 2);
  const Read read = Close();
  EXPECT_EQ(read.exceptions.size(), kThrows);
  uint64_t ended = 0;
  for (const auto& [id, exception] : read.exceptions) {
    ended += exception.outcome().kind() == hindsight::Outcome::CAUGHT;
  }
  for (const auto& [id, outcomes] : read.outcomes) ended += outcomes.size();
  EXPECT_EQ(ended + unknown, kThrows);
}

}  // namespace
}  // namespace hindsight::recorder
