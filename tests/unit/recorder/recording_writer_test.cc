// A recording from real rings to real files, without a runtime: only the numbers of types and
// frames are known.
#include "recorder/recording_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "recorder/sources/exceptions/fatal_errors.h"
#include "recorder/stream/emitter.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

class RecordingTest : public testing::Test {
 protected:
  static constexpr uint64_t kId = 0xEC0;

  void SetUp() override {
    options_.output = tmp_.path();
    options_.disk_limit_bytes = 16u << 20;  // files of 1 MiB
    recording_ = std::make_unique<RecordingWriter>(kId, nullptr, gate_, options_, Mode::kStartup,
                                                   budget_, stacks_, gc_, walker_);
    ProcessFacts facts;
    facts.application = "Shop.Web";
    facts.pid = 4711;
    std::string why;
    ASSERT_TRUE(recording_->Open(std::move(facts), "10.0.0", "", &why)) << why;
    gate_.AssemblyUnloading();  // older events cause no queries
  }
  void TearDown() override {
    recording_.reset();
    ThreadTracks::Instance().Release(kId, budget_);
  }

  // A throw with a message of its own that does not compress, long before the unload.
  bool Throw(uint64_t ordinal, bool urgent = false) {
    std::u16string message = u"#";
    for (int i = 0; i < 200; ++i) message += static_cast<char16_t>('!' + random_() % 90);
    ThreadTrack* track = emitter_.Track();
    if (track == nullptr) return false;
    void* memory = emitter_.Reserve(*track, EventKind::kExceptionThrown, ordinal,
                                    sizeof(ExceptionThrownEvent) + message.size() * 2);
    if (memory == nullptr) return false;
    auto& event = *static_cast<ExceptionThrownEvent*>(memory);
    const EventHeader header = event.header;
    event = {};
    event.header = header;
    event.ordinal = ordinal;
    event.urgent = urgent;
    event.object = ordinal * 64;
    event.message_units = static_cast<uint32_t>(message.size());
    std::memcpy(&event + 1, message.data(), message.size() * 2);
    emitter_.Commit(*track);
    return true;
  }

  void Suspend() {
    emitter_.Emit<SuspensionEvent>(EventKind::kSuspension, MonotonicNs(),
                                   [](SuspensionEvent& event) {
                                     event.reason = 1;
                                     event.by_recorder = false;
                                     event.stopping_ns = event.total_ns = 1;
                                   });
  }

  TemporaryFolder tmp_;
  CodeGate gate_;
  MemoryBudget budget_;
  Waker waker_;
  Emitter emitter_{kId, budget_, waker_};
  StackTable stacks_;
  Gc gc_{emitter_};
  SignalWalker walker_;
  contract::Options options_;
  std::mt19937 random_{3};
  std::unique_ptr<RecordingWriter> recording_;
};

// Exceptions in flight are held back until their segment ends. A segment that ends because it is
// full must hold them, too: in the next one their dictionary entries may be in another file.
TEST_F(RecordingTest, KeepsIdsInTheFileOfTheirEntries) {
  constexpr uint64_t kThrows = 40'000;  // 8 MB of messages: several full segments, and files
  for (uint64_t ordinal = 1; ordinal <= kThrows; ++ordinal) {
    if (Throw(ordinal)) continue;
    recording_->Drain(true);
    --ordinal;
  }
  recording_->Finish(EndReason::kStopped);

  const ReadResult read = ReadRecording(recording_->path());
  EXPECT_EQ(read.faults, std::vector<std::string>());
  std::map<std::string, std::set<uint32_t>> texts, threads;  // by file
  std::set<std::string> files;
  uint64_t exceptions = 0, dangling = 0;
  size_t costs = 0;
  for (const ReadSegment& segment : read.segments) {
    const hindsight::Recording& recording = segment.recording;
    if (files.insert(segment.file).second) {
      EXPECT_TRUE(recording.packet(1).has_process()) << segment.file;
    }
    for (const Packet& packet : recording.packet()) {
      if (packet.has_string()) texts[segment.file].insert(packet.string().id());
      if (packet.has_thread()) threads[segment.file].insert(packet.thread().id());
      costs += packet.has_recorder_cost();
      if (!packet.has_exception()) continue;
      ++exceptions;
      dangling += !texts[segment.file].contains(packet.exception().message()) ||
                  !threads[segment.file].contains(packet.exception().thread());
    }
  }
  EXPECT_GT(files.size(), 1u);
  EXPECT_EQ(exceptions, kThrows);
  EXPECT_EQ(dangling, 0u);
  EXPECT_EQ(costs, read.segments.size());  // each reports its cost once
  const auto& last = read.segments.back().recording;
  EXPECT_EQ(last.packet(last.packet_size() - 1).recording_end().reason(), RecordingEnd::STOPPED);
}

// Losses are reported with their thread, and the sum of what arrived and what was lost is what
// happened.
TEST_F(RecordingTest, ReportsWhatDidNotFitTheRing) {
  constexpr uint64_t kThrows = 5'000;
  uint64_t refused = 0;
  budget_.SetLimit(1u << 20);
  for (uint64_t ordinal = 1; ordinal <= kThrows; ++ordinal) refused += !Throw(ordinal);
  ASSERT_GT(refused, 0u);
  recording_->Finish(EndReason::kProcessExit);
  EXPECT_EQ(recording_->Stats().lost, refused);
  EXPECT_EQ(recording_->Stats().events, kThrows - refused);
  uint64_t lost = 0, exceptions = 0;
  for (const ReadSegment& segment : ReadRecording(recording_->path()).segments) {
    for (const Packet& packet : segment.recording.packet()) {
      exceptions += packet.has_exception();
      if (!packet.has_loss()) continue;
      EXPECT_EQ(packet.loss().cause(), Loss::RING_FULL);
      EXPECT_NE(packet.loss().thread(), 0u);
      lost += packet.loss().count();
    }
  }
  EXPECT_EQ(lost, refused);
  EXPECT_EQ(exceptions + lost, kThrows);
}

// After setuid the folder belongs to another user: that is reported, in the recording and to
// `status`.
TEST_F(RecordingTest, ReportsThatTheProcessHasChangedItsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  constexpr uid_t kNobody = 65534;
  int reported = 0;
  recording_->OnUserChange([&] { ++reported; });
  recording_->Drain(true);
  EXPECT_EQ(recording_->last_error(), "");
  EXPECT_TRUE(recording_->OpenFolder().folder);
  ASSERT_EQ(seteuid(kNobody), 0);
  recording_->Note("something else");
  recording_->Finish(EndReason::kStopped);
  const std::string error = recording_->last_error();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_FALSE(recording_->OpenFolder().folder);
  EXPECT_EQ(reported, 1);
  EXPECT_NE(error.find("changed its user from 0 to 65534"), std::string::npos) << error;

  std::set<std::string> notes;
  for (const ReadSegment& segment : ReadRecording(recording_->path()).segments) {
    for (const Packet& packet : segment.recording.packet()) {
      if (packet.has_recorder_note()) notes.insert(packet.recorder_note().text());
    }
  }
  EXPECT_EQ(notes, (std::set<std::string>{error, "something else"}));
}

// The sum of all tallies is what was counted, though a segment with some of them could not be
// written; likewise losses, and what was in that segment.
TEST_F(RecordingTest, ReportsAgainWhatASegmentThatFailedReported) {
  ThreadTrack* track = emitter_.Track();
  ASSERT_NE(track, nullptr);
  const auto count = [&](uint64_t times) {
    const Tally::RowId row = emitter_.CountIn(*track, {0xC1A55, 0, TallyKind::kException, 0});
    for (uint64_t i = 0; i < times; ++i) {
      track->tally.Begin(row, 1, i == 0);  // before the unload
      track->tally.End(row, 0, 7);
    }
    const Tally::RowId wait = emitter_.CountIn(*track, {0x10C, 0, TallyKind::kWait, 2});
    track->tally.Begin(wait, 1, false);
    track->tally.End(wait, 0, 100 * times);
  };
  constexpr uint64_t kThrows = 10;
  for (uint64_t ordinal = 1; ordinal <= kThrows; ++ordinal) ASSERT_TRUE(Throw(ordinal));
  count(5);
  track->dropped.Add(3);

  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  recording_->Drain(true);  // the first segment is written at once
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  count(2);
  recording_->Finish(EndReason::kStopped);

  EXPECT_EQ(recording_->Stats().lost, kThrows + 3);
  uint64_t thrown = 0, again = 0, caught = 0, time_ns = 0, waits = 0, longest = 0;
  std::map<Loss::Cause, uint64_t> losses;
  for (const ReadSegment& segment : ReadRecording(recording_->path()).segments) {
    for (const Packet& packet : segment.recording.packet()) {
      EXPECT_FALSE(packet.has_exception());
      if (packet.has_loss()) losses[packet.loss().cause()] += packet.loss().count();
      if (packet.has_lock_wait_tally()) {
        EXPECT_EQ(packet.lock_wait_tally().kind(), LockWait::LOCK);
        EXPECT_EQ(packet.lock_wait_tally().lock(), 0x10Cu);
        EXPECT_EQ(packet.lock_wait_tally().began(), packet.lock_wait_tally().ended());
        waits += packet.lock_wait_tally().began();
        longest = std::max(longest, packet.lock_wait_tally().longest_ns());
      }
      if (!packet.has_exception_tally()) continue;
      const ExceptionTally& tally = packet.exception_tally();
      EXPECT_NE(tally.thread(), 0u);
      thrown += tally.thrown();
      again += tally.thrown_again();
      for (const ExceptionTally::Ended& ended : tally.ended()) {
        EXPECT_EQ(ended.kind(), Outcome::CAUGHT);
        caught += ended.count();
        time_ns += ended.throw_to_end_ns();
      }
    }
  }
  EXPECT_EQ(thrown, 7u);
  EXPECT_EQ(again, 2u);
  EXPECT_EQ(caught, 7u);
  EXPECT_EQ(time_ns, 49u);
  EXPECT_EQ(waits, 2u);
  EXPECT_EQ(longest, 500u);
  EXPECT_EQ(losses[Loss::RING_FULL], 3u);
  EXPECT_EQ(losses[Loss::DISK_ERROR], kThrows);
  EXPECT_EQ(losses.size(), 2u);
}

// What a process that is killed loses. The test may get less CPU time than it needs, so it counts
// the time that the drain thread asks for, and not the time that passes.
TEST_F(RecordingTest, WritesWhatIsASecondOld) {
  const auto written = [&] {
    for (const ReadSegment& segment : ReadRecording(recording_->path()).segments) {
      for (const Packet& packet : segment.recording.packet()) {
        if (packet.has_suspension()) return true;
      }
    }
    return false;
  };
  recording_->Drain(true);  // the first segment is written at once
  const uint64_t begun_ns = MonotonicNs();
  Suspend();
  uint64_t asked_ns = 0, pause_ns = 0;
  for (int calls = 0; !written(); ++calls) {
    ASSERT_LT(calls, 100);
    std::this_thread::sleep_for(std::chrono::nanoseconds(pause_ns));
    asked_ns += pause_ns;
    pause_ns = recording_->Drain(false);
  }
  EXPECT_LE(asked_ns, 1'000'000'000u);
  EXPECT_GE(MonotonicNs() - begun_ns, 500'000'000u);  // and not more often than needed
}

// What may end the process within a millisecond cannot wait until that is certain.
TEST_F(RecordingTest, WritesAnUrgentThrowAtOnce) {
  const auto written = [&] {
    uint64_t throws = 0;
    for (const ReadSegment& segment : ReadRecording(recording_->path()).segments) {
      for (const Packet& packet : segment.recording.packet()) throws += packet.has_exception();
    }
    return throws;
  };
  recording_->Drain(true);  // the first segment is written at once
  ASSERT_TRUE(Throw(1));
  const uint64_t begun_ns = MonotonicNs();
  recording_->Drain(true);
  const uint64_t before = written();
  if (MonotonicNs() - begun_ns < 500'000'000) {
    EXPECT_EQ(before, 0u);
  }
  ASSERT_TRUE(Throw(2, /*urgent=*/true));
  recording_->Drain(true);
  EXPECT_EQ(written(), 2u);
}

// A throw that was only counted, and that is unhandled: it is reported in detail and at once, and
// the count is one less.
TEST_F(RecordingTest, TakesTheLastWordsOfAProcess) {
  recording_->Drain(true);
  ThreadTrack* const track = emitter_.Track();
  ASSERT_NE(track, nullptr);
  const Tally::RowId row = emitter_.CountIn(*track, {0, 0, TallyKind::kException, 0});
  for (uint64_t i = 0; i < 3; ++i) track->tally.Begin(row, 1, false);
  LastWords& words = track->last_words;
  auto& event = *new (words.event) ExceptionThrownEvent{};
  event.header = {sizeof(event) / 8, EventKind::kExceptionThrown, track->os_id, 1};
  event.ordinal = words.ordinal = 7;
  words.counted = uint32_t{row} << 1;
  words.offered_ns = MonotonicNs();
  words.state = LastWords::kOffered;
  // It may still be caught: the next check is soon.
  const uint64_t begun_ns = MonotonicNs();
  if (recording_->Drain(true) < 10'000'000) {
    EXPECT_LT(words.state, LastWords::kReported);
  } else {
    EXPECT_GT(MonotonicNs() - begun_ns, 1'000'000u);  // the machine was busy
  }
  words.offered_ns = words.offered_ns - 2'000'000;
  recording_->Drain(true);
  EXPECT_EQ(words.state, LastWords::kReported);

  // As the process would leave it: nothing was closed.
  uint64_t reported = 0, counted = 0;
  const auto read = [&] {
    reported = counted = 0;
    for (const ReadSegment& segment : ReadRecording(recording_->path()).segments) {
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        if (packet.has_exception()) {
          ++reported;
          EXPECT_EQ(packet.exception().outcome().kind(), hindsight::Outcome::UNHANDLED);
        }
        if (packet.has_exception_tally()) counted += packet.exception_tally().thrown();
      }
    }
  };
  read();
  EXPECT_EQ(reported, 1u);
  EXPECT_EQ(counted, 2u);
  recording_->Finish(EndReason::kStopped);
  read();
  EXPECT_EQ(reported, 1u);
  EXPECT_EQ(counted, 2u);
}

// Each rule about it fires, and each as often as it may.
TEST_F(RecordingTest, MarksWhatTheRuntimeEndsTheProcessFor) {
  for (int i = 0; i < 2; ++i) {
    contract::Rule rule;
    ASSERT_EQ(contract::ParseRule("unhandled:mark", rule), "");
    options_.rules.push_back(rule);
  }
  options_.rules_most = 2;
  options_.rules_every_ns = 0;
  const auto fail = [this] {
    emitter_.Emit<FatalErrorEvent>(EventKind::kFatalError, MonotonicNs(),
                                   [](FatalErrorEvent& event) {
                                     const EventHeader header = event.header;
                                     event = {};
                                     event.header = header;
                                   });
    recording_->Drain(true);
  };
  recording_->Drain(true);
  EXPECT_EQ(recording_->marked_unhandled(), 0u);
  fail();
  EXPECT_EQ(recording_->marked_unhandled(), 2u);
  fail();
  fail();
  EXPECT_EQ(recording_->marked_unhandled(), 4u);
}

// A process that ends may still throw, faster than that can be written.
TEST_F(RecordingTest, EndsWhileThreadsGoOn) {
  recording_->Drain(true);
  constexpr uint64_t kNeverNs = 20'000'000'000;
  std::atomic<bool> is_over{false}, goes_on{false};
  std::atomic<uint64_t> reported{0};
  std::thread application([&] {
    const uint64_t begun_ns = MonotonicNs();
    while (!is_over && MonotonicNs() - begun_ns < kNeverNs) {
      Suspend();
      ++reported;
      goes_on = true;
    }
  });
  while (!goes_on) std::this_thread::yield();
  const uint64_t begun_ns = MonotonicNs();
  recording_->Finish(EndReason::kProcessExit);
  EXPECT_LT(MonotonicNs() - begun_ns, kNeverNs / 2) << reported;
  is_over = true;
  application.join();
  const ReadResult read = ReadRecording(recording_->path());
  ASSERT_FALSE(read.segments.empty());
  const auto& last = read.segments.back().recording;
  EXPECT_TRUE(last.packet(last.packet_size() - 1).has_recording_end());
}

}  // namespace
}  // namespace hindsight::recorder
