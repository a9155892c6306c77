#include "analyzer/model/lock_waits.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyzer/model/thinned_rows.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kLock = 0x10;

OpenWait At(uint64_t id, int64_t start_ns, uint64_t lock = kLock, StackId stack = 1) {
  return {.id = id,
          .kind = WaitKind::kMonitor,
          .thread = static_cast<uint32_t>(id),
          .lock = lock,
          .owner = 9,
          .stack = stack,
          .start_ns = start_ns};
}

Waits Finish(LockWaits& tracker) {
  Waits waits;
  tracker.Finish(waits);
  return waits;
}

TEST(LockWaits, SumsUpByPlaceAndKind) {
  LockWaits tracker;
  tracker.OnWait(At(1, 0), true, 10);
  tracker.OnWait(At(2, 100), true, 30);
  OpenWait handle = At(3, 200);
  handle.kind = WaitKind::kWaitHandle;
  tracker.OnWait(handle, true, 5);
  const Waits waits = Finish(tracker);
  ASSERT_EQ(waits.groups.size(), 2u);
  EXPECT_EQ(waits.groups[0].count, 2u);
  EXPECT_EQ(waits.groups[0].total_ns, 40u);
  EXPECT_EQ(waits.groups[0].longest_ns, 30u);
  EXPECT_EQ(waits.groups[0].longest_at_ns, 100);
  EXPECT_EQ(waits.groups[0].lock_of_longest, kLock);
  EXPECT_EQ(waits.groups[0].longest_owner, 9u);
  EXPECT_EQ(waits.groups[1].count, 1u);
  ASSERT_EQ(waits.locks.size(), 1u);  // a handle is not a lock
  EXPECT_EQ(waits.locks[0].count, 2u);
}

TEST(LockWaits, KnowsWhichStacksWaitForALock) {
  LockWaits tracker;
  tracker.OnWait(At(1, 0), true, 10);
  tracker.OnWait(At(2, 100), true, 30);
  tracker.OnWait(At(3, 200, kLock, 2), true, 5);
  tracker.OnWait(At(4, 300, 0x20), true, 7);
  tracker.OnCounted(WaitKind::kMonitor, 2, kLock, {.began = 3, .total_ns = 6, .longest_ns = 2});
  OpenWait handle = At(5, 400);
  handle.kind = WaitKind::kWaitHandle;
  tracker.OnWait(handle, true, 5);
  const Waits waits = Finish(tracker);
  ASSERT_EQ(waits.lock_stacks.size(), 3u);
  EXPECT_EQ(waits.lock_stacks[0].lock, kLock);
  EXPECT_EQ(waits.lock_stacks[0].stack, 1u);
  EXPECT_EQ(waits.lock_stacks[0].kind, WaitKind::kMonitor);
  EXPECT_EQ(waits.lock_stacks[0].count, 2u);
  EXPECT_EQ(waits.lock_stacks[0].total_ns, 40u);
  EXPECT_EQ(waits.lock_stacks[1].stack, 2u);
  EXPECT_EQ(waits.lock_stacks[1].count, 4u);
  EXPECT_EQ(waits.lock_stacks[1].total_ns, 11u);
  EXPECT_EQ(waits.lock_stacks[2].lock, 0x20u);
}

TEST(LockWaits, CountsWhoWaitsAtTheSameTimeWhateverTheOrderOfEnds) {
  LockWaits tracker;
  tracker.OnWait(At(1, 0), true, 10);  // before the others
  tracker.OnWait(At(3, 22), true, 4);  // inside the next one
  tracker.OnWait(At(2, 20), true, 20);
  tracker.OnSegment();
  tracker.OnWait(At(4, 40), true, 5);  // begins as that one ends
  tracker.OnWait(At(5, 50, 0x20), true, 5);
  const Waits waits = Finish(tracker);
  ASSERT_EQ(waits.locks.size(), 2u);
  EXPECT_EQ(waits.locks[0].waiters_at_most, 2u);
  EXPECT_EQ(waits.locks[1].waiters_at_most, 1u);
}

TEST(LockWaits, KeepsWhatHasNotEnded) {
  LockWaits tracker;
  tracker.OnWait(At(2, 50), false, 0);
  tracker.OnWait(At(1, 10), false, 0);
  tracker.OnNews(1, false, 0, 7);
  tracker.OnWait(At(3, 60), false, 0);
  tracker.OnSegment();
  tracker.OnNews(3, true, 40, 0);
  tracker.OnNews(99, true, 40, 0);  // its beginning was lost
  const Waits waits = Finish(tracker);
  ASSERT_EQ(waits.open.size(), 2u);
  EXPECT_EQ(waits.open[0].id, 1u);  // by start
  EXPECT_EQ(waits.open[0].owner_stack, 7u);
  EXPECT_EQ(waits.open[1].id, 2u);
  ASSERT_EQ(waits.groups.size(), 1u);
  EXPECT_EQ(waits.groups[0].total_ns, 40u);
  ASSERT_EQ(waits.locks.size(), 1u);
  EXPECT_EQ(waits.locks[0].waiters_at_most, 3u);
  EXPECT_EQ(waits.locks[0].count, 1u);
}

TEST(LockWaits, SumsUpWhereOwnersStood) {
  LockWaits tracker;
  OpenWait wait = At(1, 0);
  wait.owner_stack = 5;
  tracker.OnWait(wait, true, 10);
  wait.id = 2;
  tracker.OnWait(wait, false, 0);
  tracker.OnNews(2, true, 30, 6);  // seen later
  wait.stack = 21;
  tracker.OnWait(wait, true, 50);  // of others, for the same owner
  const Waits waits = Finish(tracker);
  ASSERT_EQ(waits.holders.size(), 3u);
  EXPECT_EQ(waits.holders[0].stack, 5u);
  EXPECT_EQ(waits.holders[0].total_ns, 10u);
  EXPECT_EQ(waits.holders[1].stack, 6u);
  EXPECT_EQ(waits.holders[1].longest_ns, 30u);
  EXPECT_EQ(waits.holders[2].stack, 5u);
  EXPECT_EQ(waits.holders[2].waiter, 21u);
  EXPECT_EQ(waits.holders[2].kind, wait.kind);
}

TEST(LockWaits, RefusesPlacesBeyondItsLimit) {
  LockWaits tracker;
  for (StackId stack = 1; stack <= LockWaits::kMaxGroups + 3; ++stack) {
    tracker.OnWait(At(stack, 0, 0, stack), true, 1);
  }
  const Waits waits = Finish(tracker);
  EXPECT_EQ(waits.groups.size(), LockWaits::kMaxGroups);
  EXPECT_EQ(waits.refused, 3u);
}

TEST(LockWaits, HugeDurationsDoNoHarm) {
  LockWaits tracker;
  tracker.OnWait(At(1, INT64_MAX / 8), true, UINT64_MAX);
  EXPECT_EQ(Finish(tracker).groups[0].longest_ns, UINT64_MAX);
}

TEST(ThinnedRows, KeepsAllWhileThereIsRoomThenEveryNth) {
  ThinnedRows<int> few(4);
  for (int i = 0; i < 4; ++i) few.Add(i);
  EXPECT_EQ(few.Take(), (std::vector<int>{0, 1, 2, 3}));
  ThinnedRows<int> many(4);
  for (int i = 0; i < 16; ++i) many.Add(i);
  EXPECT_EQ(many.Take(), (std::vector<int>{0, 4, 8, 12}));
}

}  // namespace
}  // namespace hindsight::analyzer
