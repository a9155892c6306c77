// Deadlocks of locks in heaps: found where there is one, and nowhere else.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "tests/unit/analyzer/deadlocks_test.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::HeapThreadSpec;
using testing::WaitScene;

TEST(Deadlocks, AreNotRuledOutWhereMonitorsAreUnknown) {
  WaitScene scene;
  scene.heap().Thread(Thread(1, "Shop.Work"));
  EXPECT_TRUE(VerdictOf(DeadlocksIn(scene), true).is_all_clear);
  WaitScene unknown;
  unknown.heap().Thread(Thread(1, "Shop.Work"));
  unknown.heap().MonitorsUnknown("The snapshot was made without a copy of the process.");
  const DeadlockVerdict verdict = VerdictOf(DeadlocksIn(unknown), true);
  EXPECT_FALSE(verdict.is_all_clear);
  EXPECT_EQ(verdict.headline,
            "No deadlock found, but one cannot be ruled out: the snapshot does not show who holds "
            "which monitor.");
}

// Two threads, each with the other's monitor: the second one waits in this method of Monitor.
DeadlockReport BookAndPost(const std::string& call) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account");
  const ObjectId ledger = scene.Object("Shop.Ledger");
  Own(scene, account, 1);
  Own(scene, ledger, 2);
  scene.Thread(InMonitor(1, "Shop.Bank.Book", ledger, {account}));
  testing::HeapThreadSpec second = InMonitor(2, "Shop.Bank.Post", account, {ledger});
  second.stack.front() = "System.Threading.Monitor." + call;
  scene.Thread(second);
  return DeadlocksIn(scene);
}

TEST(Deadlocks, TwoMonitorsInACircleAreCertain) {
  const DeadlockReport report = BookAndPost("Enter");
  ASSERT_EQ(report.deadlocks.size(), 1u);
  const Deadlock& deadlock = report.deadlocks[0];
  EXPECT_EQ(deadlock.kind, "lock cycle");
  EXPECT_EQ(deadlock.proof, Proof::kCertain);
  EXPECT_EQ(deadlock.victims, 0u);
  ASSERT_EQ(deadlock.members.size(), 2u);
  const DeadlockMember& first = deadlock.members[0];
  EXPECT_EQ(first.os_id, 101u);
  EXPECT_EQ(first.name, "t1");
  EXPECT_EQ(first.waits_for.kind, "monitor");
  EXPECT_EQ(first.waits_for.type, "Shop.Ledger");
  ASSERT_EQ(first.holds.size(), 1u);
  EXPECT_EQ(first.holds[0].type, "Shop.Account");
  EXPECT_EQ(first.taken_at, "Shop.Bank.Book");
  EXPECT_EQ(first.stack.back(), "Shop.Bank.Book");
  EXPECT_EQ(deadlock.members[1].waits_for.address, first.holds[0].address);
  EXPECT_FALSE(deadlock.evidence.empty());
  EXPECT_EQ(report.looked_at.threads, 2u);
  EXPECT_EQ(report.looked_at.blocked_threads, 2u);
}

// Monitor.TryEnter: after its timeout, that thread goes on.
TEST(Deadlocks, OneWithATimeoutEndsByItself) {
  for (const std::string call :
       {"Enter", "TryEnter", "TryEnter_Slowpath", "ReliableEnterTimeout"}) {
    const DeadlockReport report = BookAndPost(call);
    ASSERT_EQ(report.deadlocks.size(), 1u) << call;
    EXPECT_EQ(report.deadlocks[0].times_out, call != "Enter") << call;
    EXPECT_EQ(report.deadlocks[0].evidence.back() == kTimesOut, call != "Enter") << call;
  }
}

TEST(Deadlocks, ACrowdOfVictimsIsOneLine) {
  WaitScene scene;
  std::vector<ObjectId> locks;
  for (uint32_t i = 0; i < 5; ++i) locks.push_back(scene.Lock(101 + i));
  for (uint32_t i = 0; i < 5; ++i) {
    scene.Thread(InLock(1 + i, "Shop.Step.Run", locks[(i + 1) % 5]));
  }
  for (uint32_t i = 0; i < 300; ++i) scene.Thread(InLock(10 + i, "Shop.Crowd.Wait", locks[0]));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  const Deadlock& deadlock = report.deadlocks[0];
  EXPECT_EQ(deadlock.members.size(), 5u);
  EXPECT_EQ(deadlock.proof, Proof::kCertain);
  EXPECT_EQ(deadlock.victims, 300u);
  ASSERT_EQ(deadlock.crowd.size(), 1u);
  EXPECT_EQ(deadlock.crowd[0].count, 300u);
  EXPECT_EQ(deadlock.crowd[0].at, "Shop.Crowd.Wait");
  EXPECT_EQ(deadlock.crowd[0].waits_for.kind, "lock");
  // Each waits for what the next one holds.
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(deadlock.members[i].waits_for.address,
              deadlock.members[(i + 1) % 5].holds.at(0).address);
  }
}

TEST(Deadlocks, ABusyLockIsNone) {
  WaitScene scene;
  const ObjectId queue = scene.Object("Shop.Queue");
  Own(scene, queue, 1);
  HeapThreadSpec owner = Thread(1, "Shop.Queue.Work");
  owner.state = ThreadRunState::kRunning;
  scene.Thread(owner);
  for (uint32_t i = 2; i < 50; ++i) scene.Thread(InMonitor(i, "Shop.Queue.Add", queue));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(Deadlocks, AnOwnerThatSleepsOrIsUnknownIsNone) {
  WaitScene scene;
  const ObjectId slow = scene.Object("Shop.Slow");
  const ObjectId lost = scene.Object("Shop.Lost");
  Own(scene, slow, 1);
  scene.heap().Monitor({.object = lost,
                        .owner_os_id = 0,
                        .owner_managed_id = 0,
                        .recursion = 0,
                        .waited_for = true});
  scene.Thread(Thread(1, "System.Threading.Thread.Sleep"));
  scene.Thread(InMonitor(2, "Shop.A.Run", slow));
  scene.Thread(InMonitor(3, "Shop.A.Run", lost));
  scene.Thread(InMonitor(4, "Shop.A.Run", lost));
  const DeadlockReport report = DeadlocksIn(scene);
  EXPECT_TRUE(report.deadlocks.empty());
  EXPECT_EQ(report.looked_at.unknown_owners, 1u);
}

TEST(Deadlocks, ALockThatSeveralWaitForIsCountedOnce) {
  WaitScene scene;
  const ObjectId lock = scene.ReaderWriterLock(7, 0);
  for (uint32_t id = 1; id <= 2; ++id) {
    HeapThreadSpec thread = Thread(id, "System.Threading.ReaderWriterLockSlim.EnterReadLock");
    thread.objects = {{.object = lock, .frame = 0}};
    scene.Thread(thread);
  }
  const DeadlockReport report = DeadlocksIn(scene);
  EXPECT_EQ(report.looked_at.blocked_threads, 2u);
  EXPECT_EQ(report.looked_at.locks, 1u);
  EXPECT_EQ(report.looked_at.unknown_owners, 1u);
}

// Its frames are older than the heap: it may have acquired what it waited for, and hold something
// else.
TEST(Deadlocks, AThreadThatRanSinceItsStackWasWalkedIsNone) {
  WaitScene scene;
  const ObjectId a = scene.Object("Shop.A");
  const ObjectId b = scene.Object("Shop.B");
  Own(scene, a, 1);
  Own(scene, b, 2);
  scene.Thread(InMonitor(1, "Shop.X.Run", b));
  HeapThreadSpec moved = InMonitor(2, "Shop.Y.Run", a);
  moved.objects.clear();
  scene.Thread(moved);
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(Deadlocks, WhoEntersAgainWhatItHoldsIsNone) {
  WaitScene scene;
  const ObjectId lock = scene.Lock(101);
  scene.Thread(InLock(1, "Shop.A.Run", lock));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

// Read while it was releasing: the wait comes from the runtime, the owner from the header.
TEST(Deadlocks, WhoWaitsForTheMonitorThatItOwnsIsNone) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account");
  Own(scene, account, 1);
  scene.Thread(InMonitor(1, "Shop.Bank.Book", account));
  scene.Thread(InMonitor(2, "Shop.Bank.Post", account));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(Deadlocks, AWordLeftOverMakesALockOnlyLikely) {
  WaitScene scene;
  const ObjectId a = scene.Lock(101);
  const ObjectId b = scene.Lock(102);
  HeapThreadSpec first = InLock(1, "Shop.A.Run", b);
  first.objects.push_back({.object = scene.Lock(103), .frame = 1});
  scene.Thread(first);
  scene.Thread(InLock(2, "Shop.B.Run", a));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kLikely);
}

TEST(Deadlocks, JoinOfAThreadThatWantsTheLock) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account");
  const ObjectId worker = scene.ThreadObject(kClr + 2, 2);
  scene.ThreadObject(kClr + 1, 1);
  Own(scene, account, 1);
  HeapThreadSpec main = Thread(1, "Shop.Program.Main");
  main.stack.insert(main.stack.begin(), "System.Threading.Thread.Join");
  main.objects = {{.object = worker, .frame = 0}};
  scene.Thread(main);
  scene.Thread(InMonitor(2, "Shop.Worker.Run", account));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "lock cycle");
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
}

// To dispose of a registration waits for its callback, which wants the lock.
TEST(Deadlocks, DisposalWithTheLockThatTheCallbackWants) {
  for (const uint32_t runners : {1u, 2u}) {
    WaitScene scene;
    const ObjectId gate = scene.Object("Shop.Session");
    Own(scene, gate, 1);
    HeapThreadSpec closes = Thread(1, "Shop.Session.Close");
    closes.stack.insert(
        closes.stack.begin(),
        {"System.Threading.Thread.Sleep",
         "System.Threading.CancellationTokenSource+Registrations.WaitForCallbackToComplete"});
    closes.objects = {{.object = gate, .frame = 2}};
    scene.Thread(closes);
    for (uint32_t i = 0; i < runners; ++i) {
      HeapThreadSpec calls = InMonitor(2 + i, "Shop.Session.OnAborted", gate);
      calls.stack.push_back("System.Threading.CancellationTokenSource.ExecuteCallbackHandlers");
      scene.Thread(calls);
    }
    const DeadlockReport report = DeadlocksIn(scene);
    // Which of several runs it is not known.
    ASSERT_EQ(report.deadlocks.size(), runners == 1 ? 1u : 0u);
    if (runners > 1) continue;
    EXPECT_EQ(report.deadlocks[0].kind, "lock cycle");
    EXPECT_EQ(report.deadlocks[0].proof, Proof::kLikely);
    EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
  }
}

// A thread that waits for a signal next to a mutex holds the mutex, and does not wait for it.
HeapThreadSpec InWaitOne(uint32_t n, std::string_view method, ObjectId handle,
                         std::vector<ObjectId> kept = {}) {
  HeapThreadSpec thread = Thread(n, method);
  thread.stack.insert(thread.stack.begin(), {"System.Threading.WaitHandle.WaitOneNoCheck",
                                             "System.Threading.WaitHandle.WaitOne"});
  thread.objects = {{.object = handle, .frame = 0}};
  for (const ObjectId object : kept) thread.objects.push_back({.object = object, .frame = 2});
  return thread;
}

TEST(Deadlocks, WhoHoldsAMutexAndWaitsForASignalIsNone) {
  WaitScene scene;
  const auto file = scene.Handle("System.Threading.Mutex");
  const auto evening = scene.Handle("System.Threading.ManualResetEvent");
  scene.Thread(InWaitOne(1, "Shop.File.Keep", evening.safe, {file.object}));
  scene.Thread(InWaitOne(2, "Shop.File.Want", file.safe, {file.object}));
  scene.Thread(InWaitOne(3, "Shop.File.Want", file.safe, {file.object}));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(Deadlocks, OfAMutexThatWaitersAloneHaveOnTheirStacksNoOwnerIsKnown) {
  WaitScene scene;
  const auto file = scene.Handle("System.Threading.Mutex");
  scene.Thread(Thread(1, "System.Threading.Thread.Sleep"));
  scene.Thread(InWaitOne(2, "Shop.File.Want", file.safe, {file.object}));
  scene.Thread(InWaitOne(3, "Shop.File.Want", file.safe, {file.object}));
  const DeadlockReport report = DeadlocksIn(scene);
  EXPECT_TRUE(report.deadlocks.empty());
  EXPECT_EQ(report.looked_at.unknown_owners, 1u);
}

TEST(Deadlocks, WhoWaitsForAnyOfSeveralHandlesIsNone) {
  WaitScene scene;
  const auto file = scene.Handle("System.Threading.Mutex");
  const auto phone = scene.Handle("System.Threading.Mutex");
  HeapThreadSpec any = Thread(1, "Shop.Desk.Want");
  any.stack.insert(any.stack.begin(), "System.Threading.WaitHandle.WaitMultiple");
  any.objects = {{.object = phone.safe, .frame = 0}, {.object = file.object, .frame = 1}};
  scene.Thread(any);
  scene.Thread(InWaitOne(2, "Shop.File.Want", file.safe, {phone.object}));
  EXPECT_TRUE(DeadlocksIn(scene).deadlocks.empty());
}

TEST(Deadlocks, TwoMutexesInACircleArePossibleOnly) {
  WaitScene scene;
  const auto file = scene.Handle("System.Threading.Mutex");
  const auto phone = scene.Handle("System.Threading.Mutex");
  scene.Thread(InWaitOne(1, "Shop.Desk.Call", phone.safe, {file.object}));
  scene.Thread(InWaitOne(2, "Shop.Desk.Read", file.safe, {phone.object}));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "lock cycle");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kPossible);
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
}

HeapThreadSpec InReaderWriter(uint32_t n, std::string_view enter, ObjectId lock) {
  HeapThreadSpec thread = Thread(n, "Shop.Archive.Use");
  thread.stack.insert(thread.stack.begin(),
                      {"System.Threading.ReaderWriterLockSlim.WaitOnEvent",
                       "System.Threading.ReaderWriterLockSlim." + std::string(enter)});
  thread.objects = {{.object = lock, .frame = 1}};
  return thread;
}

TEST(Deadlocks, AReaderThatNoFieldNamesIsFoundByItsCount) {
  WaitScene scene;
  const ObjectId pages = scene.ReaderWriterLock(7, -1);
  const ObjectId index = scene.Object("Shop.Index");
  scene.Reader(101, 7);
  Own(scene, index, 2);
  scene.Thread(InMonitor(1, "Shop.Archive.Read", index));
  scene.Thread(InReaderWriter(2, "EnterWriteLock", pages));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].kind, "lock cycle");
  EXPECT_EQ(report.deadlocks[0].proof, Proof::kCertain);
  EXPECT_EQ(report.deadlocks[0].members[0].holds.at(0).kind, "reader-writer lock");
}

TEST(Deadlocks, AReaderWaitsForWritersOnly) {
  WaitScene scene;
  const ObjectId a = scene.ReaderWriterLock(1, 1);
  const ObjectId b = scene.ReaderWriterLock(2, 2);
  scene.Thread(InReaderWriter(1, "EnterReadLock", b));
  scene.Thread(InReaderWriter(2, "EnterWriteLock", a));
  // It may upgrade, and waits for the readers: not for itself.
  const ObjectId c = scene.ReaderWriterLock(3, -1, 3);
  scene.Reader(103, 3);
  scene.Thread(InReaderWriter(3, "EnterWriteLock", c));
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].members.size(), 2u);
}

// ---- Size -------------------------------------------------------------------------------------

TEST(Deadlocks, AreFoundAmongAThousandThreadsAndAHundredThousandTasks) {
  WaitScene scene;
  std::vector<ObjectId> locks;
  for (uint32_t i = 0; i < 5; ++i) locks.push_back(scene.Lock(101 + i));
  for (uint32_t i = 0; i < 1000; ++i) {
    scene.Thread(InLock(1 + i, "Shop.Step.Run", locks[(i + 1) % 5]));
  }
  const ObjectId semaphore = scene.Semaphore(0, INT32_MAX);
  for (int i = 0; i < 50'000; ++i) {
    const ObjectId inner = i % 2 == 0 ? scene.Delay() : scene.SemaphoreWait(semaphore);
    scene.Async("Shop.A+<Outer>d__2", 0, scene.Async("Shop.A+<Inner>d__1", i % 2 == 0, inner));
  }
  const DeadlockReport report = DeadlocksIn(scene);
  ASSERT_EQ(report.deadlocks.size(), 1u);
  EXPECT_EQ(report.deadlocks[0].members.size(), 5u);
  EXPECT_EQ(report.deadlocks[0].victims, 995u);
  EXPECT_EQ(report.looked_at.unfinished_tasks, 150'000u);
}

}  // namespace
}  // namespace hindsight::analyzer
