// The switch from the runtime's notifications to its events, at any moment of an exception.
#include "recorder/sources/exceptions/exceptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "recorder/sources/gc/gc.h"
#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

class SwitchToEventsTest : public testing::Test {
 protected:
  static constexpr clr::FunctionID kThrows = 7, kCatches = 8;
  static constexpr clr::ObjectID kObject = 0x5000;

  SwitchToEventsTest() {
    runtime_.own_frames = {{kThrows, 0x1000, Place(8)}, {kCatches, 0x2000, Place(32)}};
  }
  void TearDown() override { ThreadTracks::Instance().Release(kId, budget_); }

  uintptr_t Place(size_t word) const { return reinterpret_cast<uintptr_t>(stack_ + word); }

  // Records of exceptions in flight, innermost first.
  static Dispatches InFlightAre(const std::vector<uintptr_t>& records) {
    Dispatches dispatches;
    std::copy(records.begin(), records.end(), dispatches.records.begin());
    dispatches.count = records.size();
    dispatches.complete = true;
    dispatches.thrown = kObject;
    return dispatches;
  }

  // Its record is below the frame that throws.
  void NotifyOfThrow(size_t record = 6) {
    exceptions_.Notified(kObject, false, Place(0), Place(record));
  }
  void NotifyOfCatch() {
    exceptions_.SearchFunctionEnter();
    exceptions_.SearchCatcherFound(kCatches);
    exceptions_.CatcherEnter(kCatches);
  }
  // As ExceptionEvents does.
  void CatchStart(const Dispatches& dispatches) {
    if (exceptions_.IsUnreported(dispatches)) {
      exceptions_.Thrown(dispatches.thrown, false, Place(0), dispatches);
    }
    exceptions_.CatcherEnter(kCatches, 0x2000, dispatches);
  }

  std::vector<EventKind> Reported() {
    std::vector<EventKind> kinds;
    ThreadTracks::Instance().ForEach(kId, [&](ThreadTrack& track) {
      for (; track.ring.Front() != nullptr; track.ring.Pop()) {
        const EventKind kind = track.ring.Front()->kind;
        if (kind != EventKind::kExceptionSearched) kinds.push_back(kind);
      }
    });
    return kinds;
  }

  // The `urgent` flags of throws, and of searches that have ended.
  std::vector<bool> Urgent() {
    std::vector<bool> urgent;
    ThreadTracks::Instance().ForEach(kId, [&](ThreadTrack& track) {
      for (; track.ring.Front() != nullptr; track.ring.Pop()) {
        const EventHeader* event = track.ring.Front();
        if (event->kind == EventKind::kExceptionThrown) {
          urgent.push_back(reinterpret_cast<const ExceptionThrownEvent*>(event)->urgent);
        } else if (event->kind == EventKind::kExceptionSearched) {
          urgent.push_back(reinterpret_cast<const ExceptionSearchedEvent*>(event)->urgent);
        }
      }
    });
    return urgent;
  }

  static constexpr EventKind kThrown = EventKind::kExceptionThrown;
  static constexpr EventKind kEnded = EventKind::kExceptionEnded;

 private:
  static constexpr uint64_t kId = 0xE7;
  uintptr_t stack_[64] = {};
  FakeRuntime runtime_;
  contract::Options options_;
  MemoryBudget budget_;
  Waker drain_;
  StackTable stacks_;
  Emitter emitter_{kId, budget_, drain_};
  StackWalker walker_{runtime_.info()};
  Gc gc_{emitter_};

 protected:
  Exceptions exceptions_{runtime_.info(), options_, emitter_, stacks_, walker_, gc_.collections()};
};

TEST_F(SwitchToEventsTest, BetweenTheThrowAndItsHandler) {
  NotifyOfThrow();
  exceptions_.SwitchToEvents();
  CatchStart(InFlightAre({Place(6)}));
  exceptions_.CatcherLeave();
  EXPECT_EQ(Reported(), (std::vector{kThrown, kEnded}));
}

// No event reports `throw;`.
TEST_F(SwitchToEventsTest, InAHandlerThatThrowsOn) {
  NotifyOfThrow();
  NotifyOfCatch();
  exceptions_.SwitchToEvents();
  CatchStart(InFlightAre({Place(4), Place(6)}));
  exceptions_.CatcherLeave();
  EXPECT_EQ(Reported(), (std::vector{kThrown, kEnded, kThrown, kEnded}));
}

// The handler's frame is shown as that of its method, which is above the record of what it caught.
TEST_F(SwitchToEventsTest, AfterAThrowInsideAHandler) {
  NotifyOfThrow();
  NotifyOfCatch();
  NotifyOfThrow(4);
  exceptions_.SwitchToEvents();
  CatchStart(InFlightAre({Place(4), Place(6)}));
  exceptions_.CatcherLeave();
  EXPECT_EQ(Reported(), (std::vector{kThrown, kEnded, kThrown, kEnded}));
}

TEST_F(SwitchToEventsTest, AfterAHandler) {
  NotifyOfThrow();
  NotifyOfCatch();
  exceptions_.CatcherLeave();
  exceptions_.SwitchToEvents();
  const Dispatches dispatches = InFlightAre({Place(6)});
  exceptions_.Thrown(kObject, false, Place(0), dispatches);
  CatchStart(dispatches);
  exceptions_.CatcherLeave();
  EXPECT_EQ(Reported(), (std::vector{kThrown, kEnded, kThrown, kEnded}));
}

// Any of them may be the last thing that the process does; but a storm must not write all the time.
TEST_F(SwitchToEventsTest, OfManyThrowsTheFirstAreUrgent) {
  exceptions_.SwitchToEvents();
  const Dispatches dispatches = InFlightAre({Place(6)});
  for (uint64_t i = 0; i < kUrgentThrows + 5; ++i) {
    exceptions_.Thrown(kObject, false, Place(0), dispatches);
    CatchStart(dispatches);
    exceptions_.CatcherLeave();
  }
  const std::vector<bool> urgent = Urgent();
  ASSERT_EQ(urgent.size(), kUrgentThrows + 5);
  EXPECT_EQ(std::count(urgent.begin(), urgent.begin() + kUrgentThrows, true), kUrgentThrows);
  EXPECT_FALSE(urgent[kUrgentThrows + 1]);  // the machine may be slow enough for one more
}

// Once for the throw, once when the search for a handler has reached the outermost frame.
TEST_F(SwitchToEventsTest, BeforeTheSwitchThrowsAndSearchesThatFindNothingAreUrgent) {
  NotifyOfThrow();
  exceptions_.SearchFunctionEnter();
  EXPECT_EQ(Urgent(), std::vector{true});
  NotifyOfThrow();
  exceptions_.SearchFunctionEnter();
  exceptions_.SearchFunctionEnter();
  EXPECT_EQ(Urgent(), (std::vector{true, true}));
}

}  // namespace
}  // namespace hindsight::recorder
