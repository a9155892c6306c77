// Waits inside waits, as the runtime's events report them: which end belongs to which beginning.
#include "recorder/sources/locks/locks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "tests/unit/recorder/fake_runtime.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kLocksRecording = 0x10C5;

class LocksTest : public testing::Test {
 protected:
  void SetUp() override {
    track_ = emitter_.Track();
    ASSERT_NE(track_, nullptr);
  }
  void TearDown() override { ThreadTracks::Instance().Release(kLocksRecording, budget_); }

  // With as many frames on the stack; no two stacks share an address, so no rule is learned.
  void Deliver(EventProvider provider, uint32_t id, std::span<const uint8_t> payload,
               size_t depth) {
    runtime_.own_frames.clear();
    for (size_t i = 0; i < depth; ++i) {
      runtime_.own_frames.push_back({7, next_ip_ += 64, reinterpret_cast<uintptr_t>(&stack_[i])});
    }
    locks_.Delivered(
        {provider, id, payload, reinterpret_cast<uintptr_t>(__builtin_frame_address(0))});
  }
  void BeginTask(uint32_t task, size_t depth) {
    std::array<uint8_t, 16> payload{};
    constexpr int32_t kSynchronous = 1;
    std::memcpy(&payload[8], &task, sizeof(task));
    std::memcpy(&payload[12], &kSynchronous, sizeof(kSynchronous));
    Deliver(EventProvider::kTasks, 10, payload, depth);
  }
  void EndTask() { Deliver(EventProvider::kTasks, 11, {}, 1); }
  void BeginMonitor(uint64_t lock, size_t depth) {
    std::array<uint8_t, 27> payload{};
    std::memcpy(&payload[3], &lock, sizeof(lock));
    Deliver(EventProvider::kRuntime, 81, payload, depth);
  }
  void EndMonitor() { Deliver(EventProvider::kRuntime, 91, {}, 1); }
  void BeginHandle(bool in_monitor_wait, size_t depth) {
    std::array<uint8_t, 9> payload{in_monitor_wait ? uint8_t{1} : uint8_t{0}};
    Deliver(EventProvider::kRuntime, 301, payload, depth);
  }
  void EndHandle() { Deliver(EventProvider::kRuntime, 302, {}, 1); }

  // The ordinals in the events since the last call: of beginnings, and, negated, of ends.
  std::vector<int64_t> Reported() {
    std::vector<int64_t> reported;
    for (const EventHeader* event; (event = track_->ring.Front()) != nullptr; track_->ring.Pop()) {
      if (event->kind == EventKind::kLockWaitBegan) {
        reported.push_back(
            static_cast<int64_t>(reinterpret_cast<const LockWaitBeganEvent*>(event)->ordinal));
      } else if (event->kind == EventKind::kLockWaitEnded) {
        reported.push_back(
            -static_cast<int64_t>(reinterpret_cast<const LockWaitEndedEvent*>(event)->ordinal));
      }
    }
    return reported;
  }
  struct Sums {
    uint64_t begun = 0, ended = 0;
  };
  Sums Counted() {
    Sums sums;
    track_->tally.ForEachNews(
        [&](TallyRow&, const TallyKey&, const TallyCounts& counts) {
          sums.begun += counts.begun;
          for (const uint64_t ended : counts.ended) sums.ended += ended;
        },
        [](const TallyCounts&) { return Tally::HeldBack{}; });
    return sums;
  }

  FakeRuntime runtime_;
  ThreadGate gate_{runtime_.info()};
  MemoryBudget budget_;
  Waker drain_;
  Emitter emitter_{kLocksRecording, budget_, drain_};
  StackTable stacks_;
  StackWalker walker_{runtime_.info()};
  Threads threads_{gate_, emitter_, stacks_, walker_};
  Locks locks_{emitter_, stacks_, walker_, threads_};
  ThreadTrack* track_ = nullptr;
  uintptr_t next_ip_ = 0x1000;
  std::array<uintptr_t, 2048> stack_{};
};

using Ordinals = std::vector<int64_t>;

// Tasks that run inside a wait for a task may wait themselves.
TEST_F(LocksTest, TheEndOfADeepWaitEndsNoneAroundIt) {
  constexpr uint32_t kDeep = 12;
  for (uint32_t i = 0; i < kDeep; ++i) BeginTask(i + 1, 10 * (i + 1));
  BeginMonitor(0x77, 10 * kDeep + 10);
  EXPECT_EQ(Reported(), (Ordinals{1, 2, 3, 4, 5, 6, 7, 8}));
  EndMonitor();
  for (uint32_t i = kDeep; i > 8; --i) EndTask();
  EXPECT_EQ(Reported(), Ordinals{});
  for (uint32_t i = 8; i > 0; --i) EndTask();
  EXPECT_EQ(Reported(), (Ordinals{-8, -7, -6, -5, -4, -3, -2, -1}));
  const Sums counted = Counted();
  EXPECT_EQ(counted.begun, 5u);
  EXPECT_EQ(counted.ended, 5u);
}

TEST_F(LocksTest, EveryWaitIsCountedHoweverDeep) {
  constexpr uint32_t kDeep = 100;
  for (uint32_t i = 0; i < kDeep; ++i) BeginTask(i + 1, 10 * (i + 1));
  Reported();
  for (uint32_t i = kDeep; i > 8; --i) EndTask();
  EXPECT_EQ(Reported(), Ordinals{});
  EndTask();
  EXPECT_EQ(Reported(), Ordinals{-8});
  const Sums counted = Counted();
  EXPECT_EQ(counted.begun, kDeep - 8u);
  EXPECT_EQ(counted.ended, kDeep - 8u);
}

// Deep waits that an exception has ended have no end event.
TEST_F(LocksTest, AWaitFurtherOutShowsThatAllDeeperOnesAreOver) {
  for (uint32_t i = 0; i < 100; ++i) BeginTask(i + 1, 10 * (i + 1));
  Reported();
  BeginTask(200, 12);  // inside the first one only
  EXPECT_EQ(Reported(), (Ordinals{-8, -7, -6, -5, -4, -3, -2, 9}));
  EndTask();
  EXPECT_EQ(Reported(), Ordinals{-9});
}

// A Lock waits on its own handle.
TEST_F(LocksTest, TheEndOfALocksHandleEndsNoWaitAroundTheLock) {
  BeginHandle(/*in_monitor_wait=*/true, 10);
  BeginMonitor(0x77, 20);
  BeginHandle(/*in_monitor_wait=*/false, 22);
  EXPECT_EQ(Reported(), (Ordinals{1, 2}));
  EndHandle();
  EXPECT_EQ(Reported(), Ordinals{});
  EndMonitor();
  EXPECT_EQ(Reported(), Ordinals{-2});
  EndHandle();
  EXPECT_EQ(Reported(), Ordinals{-1});
}

}  // namespace
}  // namespace hindsight::recorder
