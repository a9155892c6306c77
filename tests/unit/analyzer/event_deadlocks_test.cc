// Deadlocks from contention events alone.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/analyses/waits/deadlocks.h"

namespace hindsight::analyzer {
namespace {

class EventDeadlocks : public ::testing::Test {
 protected:
  EventDeadlocks() {
    model_.facts.last_ns = 60'000'000'000;
    for (uint32_t i = 1; i <= 20; ++i) {
      ThreadInfo thread;
      thread.id = i;
      thread.os_id = 100 + i;
      model_.threads.push_back(thread);
    }
  }

  void Wait(uint32_t thread, uint64_t lock, uint32_t owner, int64_t start_ns) {
    OpenWait wait;
    wait.kind = WaitKind::kMonitor;
    wait.thread = thread;
    wait.lock = lock;
    wait.owner = owner;
    wait.start_ns = start_ns;
    model_.waits.open.push_back(wait);
  }

  StackId Called(StackId caller, std::string_view type_name, std::string_view name) {
    Type type;
    type.name = model_.dictionaries.AddString(type_name);
    Method method;
    method.type = model_.dictionaries.AddType(type);
    method.name = model_.dictionaries.AddString(name);
    return model_.dictionaries.AddStack(caller, model_.dictionaries.AddMethod(method));
  }

  Model model_;
};

TEST_F(EventDeadlocks, OneWhoseOwnersMayHaveChangedIsLikely) {
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xb, 1, 2000);
  const DeadlockReport report = FindDeadlocks(model_);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "lock cycle");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kLikely);
  ASSERT_EQ(report.deadlocks[0].members.size(), 2u);
  EXPECT_EQ(report.deadlocks[0].members[0].os_id, 101u);
  EXPECT_EQ(report.deadlocks[0].members[0].waits_for.lock, 0xau);
  EXPECT_EQ(report.deadlocks[0].members[0].holds.at(0).lock, 0xbu);
  EXPECT_EQ(report.deadlocks[0].members[0].since_ns, 1000);
}

// A waiting thread releases nothing: an owner that is reported while it waits remains the owner.
// But right after a release, the one that had the lock may still be reported.
TEST_F(EventDeadlocks, AVictimThatComesLaterMakesItCertain) {
  const int64_t awake_ns = DeadlockRules{}.surely_awake_ns;
  model_.facts.last_ns = 10 * awake_ns;
  for (const int64_t early_ns : {0, 1}) {
    model_.waits.open.clear();
    Wait(1, 0xa, 2, 1000);
    Wait(2, 0xb, 1, 1000 + awake_ns);
    Wait(3, 0xa, 2, 1000 + 2 * awake_ns - early_ns);
    const DeadlockReport report = FindDeadlocks(model_);
    ASSERT_EQ(report.deadlocks.size(), 1u);
    EXPECT_EQ(report.deadlocks[0].proof, early_ns == 0 ? Proof::kCertain : Proof::kLikely);
    EXPECT_EQ(report.deadlocks[0].victims, 1u);
  }
}

// The thread that gets it is awake, but has not run yet.
TEST_F(EventDeadlocks, ALockThatALookSawFreeHasNoOwner) {
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xb, 1, 2000);
  Wait(3, 0xa, 2, 3000);
  ThreadInSnapshot first, second;
  first.thread = 1;
  first.waits_for = 0xa;
  second.thread = 2;
  second.waits_for = 0xb;
  second.lock_owner = 1;
  ThreadSnapshot snapshot;
  snapshot.at_ns = 5000;
  snapshot.threads = {first, second};
  model_.waits.snapshots = {snapshot};
  EXPECT_TRUE(FindDeadlocks(model_).deadlocks.empty());
  model_.waits.snapshots[0].threads[0].lock_owner = 2;
  EXPECT_EQ(FindDeadlocks(model_).deadlocks.size(), 1u);
}

// A consumer of an empty collection waits for work; a producer waits for somebody to take some.
TEST_F(EventDeadlocks, WhoWaitsForRoomInACollectionIsNotJudged) {
  const auto unjudged = [&](std::string_view call) {
    const StackId inside = Called(0, "System.Collections.Concurrent.BlockingCollection`1", call);
    ThreadInSnapshot thread;
    thread.thread = 1;
    thread.stack = Called(inside, "System.Threading.SemaphoreSlim", "Wait");
    ThreadSnapshot snapshot;
    snapshot.threads = {thread};
    model_.waits.snapshots = {snapshot};
    return FindDeadlocks(model_).looked_at.unjudged_threads;
  };
  EXPECT_EQ(unjudged("TryTakeWithNoTimeValidation"), 0u);
  EXPECT_EQ(unjudged("TryAddWithNoTimeValidation"), 1u);
}

TEST_F(EventDeadlocks, AThreadThatIsSeenElsewhereLaterDoesNotWait) {
  const auto stack = [&](std::string_view name) { return Called(0, "Shop.Bank", name); };
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xb, 1, 2000);
  for (OpenWait& wait : model_.waits.open) wait.stack = stack("Book");
  ThreadSnapshot snapshot;
  snapshot.at_ns = 5000;
  ThreadInSnapshot wall_site;
  wall_site.thread = 1;
  wall_site.stack = stack("Book");
  snapshot.threads.push_back(wall_site);
  model_.waits.snapshots = {snapshot};
  EXPECT_EQ(FindDeadlocks(model_).deadlocks.size(), 1u);
  model_.waits.snapshots[0].threads[0].stack = stack("Sleep");
  EXPECT_TRUE(FindDeadlocks(model_).deadlocks.empty());
}

TEST_F(EventDeadlocks, WhatMayEndAtOnceIsNone) {
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xb, 1, 2000);
  const DeadlockRules rules;
  model_.facts.last_ns = 2000 + rules.surely_awake_ns - 1;
  EXPECT_TRUE(FindDeadlocks(model_).deadlocks.empty());
  EXPECT_EQ(FindDeadlocks(model_, {.surely_awake_ns = rules.surely_awake_ns - 1}).deadlocks.size(),
            1u);
  ++model_.facts.last_ns;
  EXPECT_EQ(FindDeadlocks(model_).deadlocks.size(), 1u);
}

TEST_F(EventDeadlocks, WithLostEventsNothingIsCertain) {
  const int64_t awake_ns = DeadlockRules{}.surely_awake_ns;
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xb, 1, 1000 + awake_ns);
  Wait(3, 0xa, 2, 1000 + 2 * awake_ns);
  EXPECT_EQ(FindDeadlocks(model_).deadlocks.at(0).proof, Proof::kCertain);
  model_.losses.ring_full = 1;
  EXPECT_EQ(FindDeadlocks(model_).deadlocks.at(0).proof, Proof::kLikely);
}

// Monitors are reentrant: an owner that waits for the lock itself has released it since.
TEST_F(EventDeadlocks, WhoWaitsForALockItselfDoesNotHoldIt) {
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xa, 0, 2000);
  Wait(3, 0xb, 3, 1000);  // named by itself, as it released
  DeadlockReport report = FindDeadlocks(model_);
  EXPECT_TRUE(report.deadlocks.empty());
  EXPECT_EQ(report.looked_at.unknown_owners, 2u);
  // Nor if it is reported while it waits.
  Wait(4, 0xa, 2, 3000);
  EXPECT_TRUE(FindDeadlocks(model_).deadlocks.empty());
}

TEST_F(EventDeadlocks, AChainWithoutACircleIsNone) {
  Wait(1, 0xa, 2, 1000);
  Wait(2, 0xb, 3, 2000);
  Wait(4, 0xc, 0, 2000);  // the owner is unknown
  const DeadlockReport report = FindDeadlocks(model_);
  EXPECT_TRUE(report.deadlocks.empty());
  EXPECT_EQ(report.looked_at.unknown_owners, 1u);
  EXPECT_FALSE(report.notes.empty());
}

TEST_F(EventDeadlocks, ARecordingWithoutWaitsIsNone) {
  EXPECT_TRUE(FindDeadlocks(model_).deadlocks.empty());
}

// Seen in a snapshot, but in no event: the waits began before the recording.
void Saw(Model& model, int64_t at_ns, const std::vector<ThreadInSnapshot>& threads) {
  ThreadSnapshot snapshot;
  snapshot.at_ns = at_ns;
  snapshot.threads = threads;
  model.waits.snapshots.push_back(std::move(snapshot));
  ++model.waits.snapshot_count;
}

ThreadInSnapshot Stands(uint32_t thread, uint64_t lock, uint32_t owner) {
  ThreadInSnapshot wall_site;
  wall_site.thread = thread;
  wall_site.state = ThreadRunState::kSleeping;
  wall_site.waits_for = lock;
  wall_site.lock_owner = owner;
  wall_site.unchanged_since_ns = 1000;
  return wall_site;
}

TEST_F(EventDeadlocks, OneThatWasThereBeforeIsSeenAtALook) {
  std::vector<ThreadInSnapshot> threads = {Stands(1, 0xa, 2), Stands(2, 0xb, 1)};
  for (uint32_t i = 3; i <= 10; ++i) threads.push_back(Stands(i, 0xa, 2));
  Saw(model_, 1000, threads);
  Saw(model_, 5000, threads);
  const DeadlockReport report = FindDeadlocks(model_);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kCertain);
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
  EXPECT_EQ(report.deadlocks[0].victims, 8u);
  EXPECT_EQ(report.deadlocks[0].members[0].since_ns, std::nullopt);
  EXPECT_EQ(report.looked_at.looks, 2u);
}

TEST_F(EventDeadlocks, ThreadsStandStillFromATimeWithoutRunningOn) {
  Saw(model_, 5000, {Stands(1, 0xa, 2), Stands(2, 0xa, 3)});
  model_.waits.snapshots[0].threads[1].unchanged_since_ns = 2000;
  const auto seen = [this](uint64_t unchanged_ns) {
    return LockWaitsSeen(model_, {.unchanged_ns = unchanged_ns});
  };
  EXPECT_EQ(seen(3000).standing.at(0).threads, 2u);
  EXPECT_EQ(seen(3000).standing[0].least_ns, 3000u);
  EXPECT_EQ(seen(3001).standing.at(0).threads, 1u);
  EXPECT_EQ(seen(4000).standing.at(0).threads, 1u);
  EXPECT_TRUE(seen(4001).standing.empty());
  EXPECT_EQ(seen(4001).threads, 2u);
  EXPECT_EQ(seen(4001).longest_ns, 4000u);
}

TEST_F(EventDeadlocks, AnOwnerThatDoesNotWaitGetsOn) {
  Saw(model_, 5000, {Stands(1, 0xa, 2), Stands(2, 0, 0), Stands(3, 0xa, 2)});
  const DeadlockReport report = FindDeadlocks(model_);
  EXPECT_TRUE(report.deadlocks.empty());
  EXPECT_TRUE(VerdictOf(report, false).is_all_clear);
}

// It may wait for a thread that waits for the lock.
TEST_F(EventDeadlocks, AnOwnerThatWaitsForSomethingUnknownIsNoAllClear) {
  ThreadInSnapshot owner = Stands(2, 0, 0);
  owner.stack = Called(Called(0, "Shop.Poller", "Stop"), "System.Threading.Thread", "Join");
  Saw(model_, 5000, {Stands(1, 0xa, 2), owner});
  EXPECT_FALSE(VerdictOf(FindDeadlocks(model_), false).is_all_clear);
  owner.state = ThreadRunState::kRunning;
  model_.waits.snapshots.clear();
  Saw(model_, 5000, {Stands(1, 0xa, 2), owner});
  EXPECT_TRUE(VerdictOf(FindDeadlocks(model_), false).is_all_clear);
}

TEST_F(EventDeadlocks, WhatBeganAfterTheLookIsNewer) {
  Saw(model_, 5000, {Stands(1, 0xa, 2), Stands(2, 0xb, 1)});
  Wait(1, 0xc, 3, 6000);
  EXPECT_TRUE(FindDeadlocks(model_).deadlocks.empty());
}

// The wait that was seen began before the recording: no event reports its end.
TEST_F(EventDeadlocks, AnOwnerThatGotOnAfterTheLookIsNotTakenForOne) {
  Saw(model_, 5000, {Stands(1, 0xa, 2), Stands(2, 0, 0)});
  Wait(2, 0xb, 1, 6000);
  const DeadlockReport report = FindDeadlocks(model_);
  EXPECT_TRUE(report.deadlocks.empty());
  EXPECT_FALSE(VerdictOf(report, false).is_all_clear);
}

TEST_F(EventDeadlocks, WithoutALookThereIsNoAllClear) {
  const DeadlockVerdict verdict = VerdictOf(FindDeadlocks(model_), false);
  EXPECT_FALSE(verdict.is_all_clear);
  EXPECT_NE(verdict.headline.find("no thread snapshot"), std::string::npos);
}

TEST_F(EventDeadlocks, ALockWithoutAnOwnerIsNoAllClear) {
  Saw(model_, 5000, {Stands(1, 0xa, 0)});
  EXPECT_FALSE(VerdictOf(FindDeadlocks(model_), false).is_all_clear);
}

}  // namespace
}  // namespace hindsight::analyzer
