// What becomes of throws and ends, from events as the callbacks leave them to packets on the disk.
//
// The runtime is never asked: code was "unloaded" after all these events, so of types and frames
// only their numbers are known. What ids of methods decide (a rethrow against an await's restored
// exception inside a handler) is left to tests with a real runtime.
#include "recorder/sources/exceptions/exception_packets.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/recorder/output_test_support.h"
#include "tests/unit/recorder/packets_test.h"

namespace hindsight::recorder {
namespace {

// A throw, as a test writes it.
struct Throw {
  uint64_t ordinal;
  uint64_t object = 0x1000;
  std::u16string message = u"m";
  uint32_t thread = 4'000'001;  // no kernel thread of this process
  uint64_t type = 0xA0;
  bool has_trace = false;
  uint64_t handler = 0;
  uint64_t during = 0;
  uint64_t cause = 0;
  uint64_t cause_type = 0;
  uint32_t collections = 0;
  std::vector<uintptr_t> frames = {};
  bool silent = false;
};

struct Read {
  std::map<uint64_t, hindsight::Exception> exceptions;  // by id
  std::map<uint64_t, std::vector<hindsight::Outcome>> outcomes;
  std::map<uint64_t, uint64_t> times;
  std::map<uint32_t, std::string> texts;
  std::vector<hindsight::Stack> stacks;
  std::map<uint32_t, hindsight::Frame> frames;
  std::map<uint32_t, uint32_t> threads;  // id -> kernel id
};

class ExceptionTrackerTest : public PacketsTest {
 protected:
  ExceptionTrackerTest() : PacketsTest(true) {}

  void Thrown(const Throw& thrown, uint64_t time_ns = 0) {
    const size_t tail = thrown.frames.size() * 8 + thrown.message.size() * 2;
    std::vector<uint64_t> memory((sizeof(ExceptionThrownEvent) + tail + 7) / 8);
    auto& event = *new (memory.data()) ExceptionThrownEvent{};
    event.header = {static_cast<uint16_t>(memory.size()), EventKind::kExceptionThrown,
                    thrown.thread, time_ns};
    event.ordinal = thrown.ordinal;
    event.during_ordinal = thrown.during;
    event.type = thrown.type;
    event.object = thrown.object;
    event.cause = thrown.cause;
    event.cause_type = thrown.cause_type;
    event.collections = thrown.collections;
    event.frames_inline = static_cast<uint32_t>(thrown.frames.size());
    event.message_units = static_cast<uint32_t>(thrown.message.size());
    event.has_trace = thrown.has_trace;
    event.handler_ordinal = thrown.handler;
    event.silent = thrown.silent;
    auto* at = reinterpret_cast<std::byte*>(&event + 1);
    for (const uintptr_t frame : thrown.frames) {
      std::memcpy(at, &frame, sizeof(frame));
      at += sizeof(frame);
    }
    std::memcpy(at, thrown.message.data(), thrown.message.size() * 2);
    packets_.Begin();
    tracker_->Consume(event.header, packets_);
  }

  void Ended(uint64_t ordinal, ExceptionEnd end = ExceptionEnd::kCaught, uint64_t time_ns = 0,
             uintptr_t handler_ip = 0, uint32_t thread = 4'000'001) {
    ExceptionEndedEvent event{};
    event.header = {sizeof(event) / 8, EventKind::kExceptionEnded, thread, time_ns};
    event.ordinal = ordinal;
    event.end = end;
    event.handler_ip = handler_ip;
    event.finally_count = 2;
    event.filter_count = 3;
    packets_.Begin();
    tracker_->Consume(event.header, packets_);
  }

  void Searched(uint64_t ordinal, bool found, uint64_t time_ns) {
    ExceptionSearchedEvent event{};
    event.header = {sizeof(event) / 8, EventKind::kExceptionSearched, 4'000'001, time_ns};
    event.ordinal = ordinal;
    event.found = found;
    packets_.Begin();
    tracker_->Consume(event.header, packets_);
  }

  void EndSegment(SegmentKind kind = SegmentKind::kData) {
    packets_.Begin();
    tracker_->Flush(packets_);
    ASSERT_TRUE(packets_.End(kind));
  }

  Read Close() {
    EndSegment(SegmentKind::kLast);
    EXPECT_TRUE(segments_.Close());
    EXPECT_EQ(packets_.oversized(), 0u);
    const ReadResult result = ReadRecording(segments_.path());
    EXPECT_EQ(result.faults, std::vector<std::string>());
    Read read;
    for (const ReadSegment& segment : result.segments) {
      uint64_t next_id = 0;
      uint64_t time = 0;
      for (const Packet& packet : segment.recording.packet()) {
        time += static_cast<uint64_t>(packet.time_delta_ns());
        if (packet.has_segment_start()) time = packet.segment_start().monotonic_ns();
        if (packet.has_string()) read.texts[packet.string().id()] = packet.string().value();
        if (packet.has_stack()) read.stacks.push_back(packet.stack());
        if (packet.has_frame()) read.frames[packet.frame().id()] = packet.frame();
        if (packet.has_thread()) read.threads[packet.thread().id()] = packet.thread().os_id();
        if (packet.has_exception_outcome()) {
          const auto& late = packet.exception_outcome();
          EXPECT_TRUE(read.exceptions.contains(late.id())) << "an outcome before its exception";
          read.outcomes[late.id()].push_back(late.outcome());
        }
        if (packet.has_exception()) {
          const uint64_t id = next_id + static_cast<uint64_t>(packet.exception().id_delta());
          EXPECT_TRUE(read.exceptions.emplace(id, packet.exception()).second) << "twice " << id;
          read.times[id] = time;
          next_id = id + 1;
        }
      }
    }
    return read;
  }

  // Two throws, and how the second was linked to the first.
  hindsight::Exception Second(const Throw& first, const Throw& second) {
    Thrown(first);
    Ended(first.ordinal);
    Thrown(second);
    Ended(second.ordinal);
    const Read read = Close();
    EXPECT_EQ(read.exceptions.size(), 2u);
    EXPECT_EQ(read.exceptions.at(1).previous_delta(), 0u);
    EXPECT_EQ(read.exceptions.at(1).hop(), HOP_NONE);
    return read.exceptions.at(2);
  }

  std::unique_ptr<ExceptionPackets> tracker_ =
      std::make_unique<ExceptionPackets>(dictionaries_, threads_);
};

TEST_F(ExceptionTrackerTest, TellsThrowAndEndInOnePacket) {
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

TEST_F(ExceptionTrackerTest, TellsEveryEnd) {
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

TEST_F(ExceptionTrackerTest, TellsAnEndAfterTheSegmentAsAnOutcome) {
  Thrown({.ordinal = 1}, 1'000);
  Thrown({.ordinal = 2, .object = 0x2000}, 2'000);
  EndSegment();
  EndSegment();  // tells none again
  Ended(2, ExceptionEnd::kReplaced, 10'000);
  Ended(1, ExceptionEnd::kCaught, 11'000);
  Ended(1, ExceptionEnd::kCaught, 12'000);  // of nothing that is known any more
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

TEST_F(ExceptionTrackerTest, TellsOfWhatSeemedUnhandledAndIsNot) {
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

// In a storm segments end all the time, also between the throw that nobody catches and its grace.
TEST_F(ExceptionTrackerTest, TellsThatAThrowOfAnEarlierSegmentIsUnhandled) {
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
  EXPECT_EQ(read.exceptions.size(), kThrows);  // each told, none twice
}

// Threads die in mid-flight, and nobody says so: the oldest are given up, and their ends counted if
// they come all the same. All others have their end.
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
