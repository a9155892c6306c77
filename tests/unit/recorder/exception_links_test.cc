// Which exceptions are the same one thrown again, the cause of another, or thrown while another is
// in flight.

#include "tests/unit/recorder/exception_packets_test.h"

namespace hindsight::recorder {
namespace {

TEST_F(ExceptionTrackerTest, LinksARethrowOutOfItsHandler) {
  const auto second = Second({.ordinal = 1}, {.ordinal = 2, .has_trace = true, .handler = 1});
  EXPECT_EQ(second.hop(), HOP_RETHROW);
  EXPECT_EQ(second.previous_delta(), 1u);
  EXPECT_FALSE(second.hop_inferred());
}

TEST_F(ExceptionTrackerTest, LinksAThrowWithResetTraceOutOfItsHandler) {
  const auto second = Second({.ordinal = 1}, {.ordinal = 2, .handler = 1});
  EXPECT_EQ(second.hop(), HOP_AGAIN);
  EXPECT_EQ(second.previous_delta(), 1u);
}

TEST_F(ExceptionTrackerTest, LinksARestoredExceptionOnAnotherThread) {
  const auto second =
      Second({.ordinal = 1}, {.ordinal = 1, .thread = 4'000'002, .has_trace = true, .handler = 1});
  EXPECT_EQ(second.hop(), HOP_RESTORED);
  EXPECT_EQ(second.previous_delta(), 1u);
  EXPECT_FALSE(second.hop_inferred());
}

TEST_F(ExceptionTrackerTest, LinksARestoredExceptionOutsideOfItsHandler) {
  const auto second = Second({.ordinal = 1}, {.ordinal = 2, .has_trace = true});
  EXPECT_EQ(second.hop(), HOP_RESTORED);
}

TEST_F(ExceptionTrackerTest, DoesNotLinkACachedExceptionThrownOverAndOver) {
  for (uint64_t ordinal = 1; ordinal <= 5; ++ordinal) {
    Thrown({.ordinal = ordinal});
    Ended(ordinal);
  }
  const Read read = Close();
  ASSERT_EQ(read.exceptions.size(), 5u);
  for (const auto& [id, exception] : read.exceptions) {
    EXPECT_EQ(exception.previous_delta(), 0u) << id;
    EXPECT_EQ(exception.hop(), HOP_NONE) << id;
  }
}

TEST_F(ExceptionTrackerTest, DoesNotLinkANewObjectAtAnOldAddress) {
  const auto second = Second({.ordinal = 1}, {.ordinal = 2, .handler = 1, .collections = 1});
  EXPECT_EQ(second.hop(), HOP_NONE);
  EXPECT_EQ(second.previous_delta(), 0u);
}

TEST_F(ExceptionTrackerTest, InfersALinkAcrossCollectionsByTypeAndMessage) {
  const auto second =
      Second({.ordinal = 1}, {.ordinal = 2, .object = 0x9000, .has_trace = true, .collections = 1});
  EXPECT_EQ(second.hop(), HOP_RESTORED);
  EXPECT_EQ(second.previous_delta(), 1u);
  EXPECT_TRUE(second.hop_inferred());
}

TEST_F(ExceptionTrackerTest, InfersNoLinkToAnotherMessage) {
  const auto second = Second(
      {.ordinal = 1},
      {.ordinal = 2, .object = 0x9000, .message = u"n", .has_trace = true, .collections = 1});
  EXPECT_EQ(second.hop(), HOP_NONE);
}

TEST_F(ExceptionTrackerTest, InfersNoLinkToAnotherType) {
  const auto second =
      Second({.ordinal = 1},
             {.ordinal = 2, .object = 0x9000, .type = 0xB0, .has_trace = true, .collections = 1});
  EXPECT_EQ(second.hop(), HOP_NONE);
}

TEST_F(ExceptionTrackerTest, LinksTheCause) {
  const auto second =
      Second({.ordinal = 1, .object = 0x1000, .type = 0xA0},
             {.ordinal = 2, .object = 0x2000, .type = 0xB0, .cause = 0x1000, .cause_type = 0xA0});
  EXPECT_EQ(second.cause_delta(), 1u);
  EXPECT_FALSE(second.cause_inferred());
  EXPECT_EQ(second.previous_delta(), 0u);
}

TEST_F(ExceptionTrackerTest, InfersTheCauseAcrossCollectionsByType) {
  const auto second = Second({.ordinal = 1, .object = 0x1000, .type = 0xA0}, {.ordinal = 2,
                                                                              .object = 0x2000,
                                                                              .type = 0xB0,
                                                                              .cause = 0x7000,
                                                                              .cause_type = 0xA0,
                                                                              .collections = 1});
  EXPECT_EQ(second.cause_delta(), 1u);
  EXPECT_TRUE(second.cause_inferred());
}

TEST_F(ExceptionTrackerTest, KnowsNoCauseThatWasNeverThrown) {
  const auto second =
      Second({.ordinal = 1, .object = 0x1000, .type = 0xA0},
             {.ordinal = 2, .object = 0x2000, .type = 0xB0, .cause = 0x7000, .cause_type = 0xC0});
  EXPECT_EQ(second.cause_delta(), 0u);
  EXPECT_FALSE(second.cause_inferred());
}

TEST_F(ExceptionTrackerTest, NamesTheExceptionInFlightAround) {
  Thrown({.ordinal = 1, .object = 0x1000});
  Thrown({.ordinal = 2, .object = 0x2000, .during = 1});
  Thrown({.ordinal = 3, .object = 0x3000, .during = 2});
  Ended(3);
  Ended(2);
  Thrown({.ordinal = 4, .object = 0x4000, .during = 2});  // has ended
  Ended(4);
  Ended(1, ExceptionEnd::kReplaced);
  const Read read = Close();
  EXPECT_EQ(read.exceptions.at(1).during_delta(), 0u);
  EXPECT_EQ(read.exceptions.at(2).during_delta(), 1u);
  EXPECT_EQ(read.exceptions.at(3).during_delta(), 1u);
  EXPECT_EQ(read.exceptions.at(4).during_delta(), 0u);
}

}  // namespace
}  // namespace hindsight::recorder
