// Findings about waits for locks, and which of them a deadlock explains.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/analyzer/overview_events.h"

namespace hindsight::analyzer {
namespace {

using State = Coverage::State;

// As of requests behind a service that is created once, and slowly.
TEST_F(OverviewOfEvents, FewWaitsAreEnoughIfTheyTakeSecondsEach) {
  const OverviewRules rules;
  const auto find = [this](uint64_t count, int64_t total_ns) {
    model().waits.groups.clear();
    LockWaits(count, static_cast<uint64_t>(total_ns), static_cast<uint64_t>(kSecond));
    return Find().findings;
  };
  const auto count = static_cast<int64_t>(rules.few_lock_waits);
  const auto found = find(rules.few_lock_waits, count * kSecond);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "hot-lock");
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_TRUE(find(rules.few_lock_waits, count * kSecond - 1000).empty());
  EXPECT_TRUE(find(rules.few_lock_waits - 1, count * kSecond).empty());
}

// Of few threads, one always waits: no convoy, but they do half of what they could.
TEST_F(OverviewOfEvents, HalfAThreadThatWaitsAllTheTimeIsADoubt) {
  const OverviewRules rules;
  const auto total_ns = static_cast<uint64_t>(rules.doubted_lock_threads * 10 * kSecond);
  LockWaits(100, total_ns, kSecond / 2);
  ASSERT_EQ(Find().findings.size(), 1u);
  EXPECT_EQ(Find().findings[0].kind, "hot-lock");
  EXPECT_TRUE(Find().findings[0].is_doubt);
  model().waits.groups[0].total_ns = total_ns - 1000;
  EXPECT_FALSE(Find().findings.at(0).is_doubt);
}

TEST_F(OverviewOfEvents, ALockWhoseOwnerSleepsIsAWarning) {
  const OverviewRules rules;
  LockWaits(rules.asleep_waits, kSecond / 5, 10'000'000);  // 0.02 threads
  ASSERT_EQ(Find().findings.size(), 1u);
  EXPECT_EQ(Find().findings[0].kind, "hot-lock");
  EXPECT_EQ(Find().findings[0].severity, Severity::kNote);
  WaitGroup& group = model().waits.groups[0];
  HolderGroup holder{
      .stack = Stack({"Shop.Cart.Add", "Shop.Cart.Fetch", "System.Threading.Thread.Sleep"}),
      .kind = group.kind,
      .waiter = group.stack,
      .count = 2,
      .total_ns = 20};
  model().waits.holders = {holder};
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "held-asleep");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_NE(overview.findings[0].evidence.find(
                "Meanwhile the owner was in Shop.Cart.Fetch, where it sleeps."),
            std::string::npos)
      << overview.findings[0].evidence;
  // What it was in while others waited for longest, and not during the longest wait.
  holder.stack = Stack({"Shop.Cart.Add", "Shop.Cart.Sum"});
  holder.count = 1;
  holder.total_ns = 21;
  model().waits.holders.push_back(holder);
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
  model().waits.holders[1].total_ns = 19;
  EXPECT_EQ(Find().findings.at(0).kind, "held-asleep");
  model().waits.holders[1].waiter = Stack({"Shop.Mail.Send", "System.Threading.Monitor.Enter"});
  model().waits.holders[1].total_ns = 21;
  EXPECT_EQ(Find().findings.at(0).kind, "held-asleep");
  group.total_ns = kSecond / 5 - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.total_ns = kSecond / 5;
  group.count = rules.asleep_waits + 1;  // a mean of less than slow_wait_ns is a note
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  group.count = rules.asleep_waits - 1;  // fewer are a note, and even fewer are not reported
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kNote);
  group.count = rules.lock_waits - 1;
  EXPECT_TRUE(Find().findings.empty());
  group.count = rules.asleep_waits;
  EXPECT_EQ(Find().findings.size(), 1u);
  group.stack = 0;  // a new thread, which waits for its creator
  EXPECT_TRUE(Find().findings.empty());
}

// The runtime reports its waits as those for an event.
TEST_F(OverviewOfEvents, WaitsForAReaderWriterLockAreWaitsForALock) {
  LockWaits(100, 15 * kSecond, kSecond / 5);
  WaitGroup& group = model().waits.groups[0];
  group.kind = WaitKind::kWaitHandle;
  const StackId waits =
      Stack({"Shop.Cart.Add", "System.Threading.ReaderWriterLockSlim.EnterReadLock",
             "System.Threading.WaitHandle.WaitOneNoCheck"});
  group.stack = waits;
  ASSERT_EQ(Find().findings.size(), 1u);
  EXPECT_EQ(Find().findings[0].kind, "hot-lock");
  EXPECT_EQ(Find().findings[0].title,
            "On average 1.5 threads wait for a reader-writer lock in Shop.Cart.Add");
  EXPECT_EQ(Of(Find(), Signal::kLocks).looked_at, "100 waits for locks, 15.00 s in total");
  // How many wait at the same time, only thread snapshots show.
  ThreadSnapshot look;
  look.number = 1;
  model().threads.resize(4);
  for (uint32_t thread = 1; thread < OverviewRules().convoy_waiters; ++thread) {
    look.threads.push_back({.thread = thread, .stack = waits});
  }
  model().waits.snapshots = {look};
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
  model().waits.snapshots[0].threads.push_back({.thread = 3, .stack = waits});
  EXPECT_EQ(Find().findings.at(0).kind, "convoy");
  EXPECT_EQ(Find().findings[0].severity, Severity::kWarning);
  // Any other event is a signal, for which healthy programs wait.
  group.stack = Stack({"Shop.Cart.Add", "System.Threading.WaitHandle.WaitOneNoCheck"});
  EXPECT_TRUE(Find().findings.empty());
}

// The owner changes too fast for its stack to be requested: what a thread snapshot shows counts.
TEST_F(OverviewOfEvents, AThreadSnapshotShowsWhatTheOwnerOfALockDoes) {
  LockWaits(100, 5 * kSecond, kSecond / 10);
  model().threads.resize(3);
  ThreadSnapshot look;
  look.number = 1;
  look.threads.push_back(
      {.thread = 1, .stack = model().waits.groups[0].stack, .waits_for = 0xa, .lock_owner = 2});
  look.threads.push_back(
      {.thread = 2,
       .stack = Stack({"Shop.Cart.Add", "Shop.Cart.Fetch", "System.Threading.Thread.Sleep"})});
  model().waits.snapshots = {look};
  EXPECT_EQ(Find().findings.at(0).kind, "held-asleep");
  EXPECT_NE(Find().findings[0].evidence.find("Meanwhile the owner was in Shop.Cart.Fetch"),
            std::string::npos);
  // A thread that waits for the lock itself did not own it when that began.
  model().waits.snapshots[0].threads[1].stack = model().waits.groups[0].stack;
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
  // No thread waits there according to the events: another lock.
  model().waits.snapshots = {look};
  model().waits.snapshots[0].threads[0].stack =
      Stack({"Shop.Mail.Send", "System.Threading.Monitor.Enter"});
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
}

// The owners that the waits report have left: they wait for the lock again, or for work.
TEST_F(OverviewOfEvents, TheOneThreadInsideALockIsItsOwnerIfEachLookShowsIt) {
  LockWaits(100, 5 * kSecond, kSecond / 10);
  model().threads.resize(9);
  const StackId waits = model().waits.groups[0].stack;
  const StackId idle = Stack({"System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart",
                              "System.Threading.LowLevelLifoSemaphore.WaitForSignal",
                              "System.Threading.WaitHandle.WaitOneNoCheck"});
  const StackId sleeps =
      Stack({"Shop.Cart.Add", "Shop.Cart.Fetch", "System.Threading.Thread.Sleep"});
  const auto look = [&](const std::vector<StackId>& others) {
    ThreadSnapshot& snapshot = model().waits.snapshots.emplace_back();
    snapshot.number = static_cast<uint32_t>(model().waits.snapshots.size());
    ThreadIndex thread = 1;
    for (int i = 0; i < 2; ++i) {
      snapshot.threads.push_back(
          {.thread = thread++, .stack = waits, .waits_for = 0xa, .lock_owner = 3});
    }
    for (const StackId stack : others)
      snapshot.threads.push_back({.thread = thread++, .stack = stack});
  };
  look({idle, sleeps});
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");  // seen once
  EXPECT_EQ(Find().findings[0].evidence.find("Meanwhile"), std::string::npos);
  look({waits, sleeps});
  EXPECT_EQ(Find().findings.at(0).kind, "held-asleep");
  EXPECT_NE(Find().findings[0].evidence.find("Meanwhile the owner was in Shop.Cart.Fetch, where it "
                                             "sleeps."),
            std::string::npos)
      << Find().findings[0].evidence;
  look({idle});  // so the lock can be held elsewhere
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
  model().waits.snapshots.pop_back();
  look({idle, sleeps, sleeps});
  EXPECT_EQ(Find().findings.at(0).kind, "hot-lock");
}

TEST_F(OverviewOfEvents, ABusyLockIsANoteAndAConvoyAWarning) {
  LockWaits(41, kSecond / 5, 10'000'000);  // 4.9 ms each
  EXPECT_TRUE(Find().findings.empty());
  model().waits.groups[0].count = 100;
  model().waits.groups[0].total_ns = kSecond;
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Add");
  model().waits.groups[0].total_ns = 40 * kSecond;
  overview = Find();
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].kind, "convoy");
}

// Neither of the two would be reported, and no wait is long.
TEST_F(OverviewOfEvents, OneLockThatTwoMethodsWaitForIsOneFinding) {
  constexpr uint64_t kGate = 0x10;
  const auto wait = [this](const char* method, uint64_t lock) {
    const StackId stack = Stack({method, "System.Threading.Monitor.Enter"});
    const uint64_t total_ns = 6 * kSecond;
    model().waits.groups.push_back({.kind = WaitKind::kMonitor,
                                    .stack = stack,
                                    .count = 6,
                                    .total_ns = total_ns,
                                    .longest_ns = kSecond});
    model().waits.lock_stacks.push_back({.lock = lock,
                                         .stack = stack,
                                         .kind = WaitKind::kMonitor,
                                         .count = 6,
                                         .total_ns = total_ns});
  };
  model().waits.locks.push_back(
      {.kind = WaitKind::kMonitor, .lock = kGate, .count = 12, .waiters_at_most = 3});
  wait("Shop.Cart.Add", kGate);
  wait("Shop.Cart.Remove", kGate);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "convoy");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "On average 1.2 threads wait for one lock in Shop.Cart.Add and Shop.Cart.Remove");
  EXPECT_EQ(overview.findings[0].evidence,
            "12 waits, 12.00 s in total, 1.00 s on average, the longest 1.00 s; at most 3 at the "
            "same time.");
  model().waits.lock_stacks[1].lock = 0x20;  // of two locks, each has few waits
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  for (const Finding& finding : overview.findings) EXPECT_EQ(finding.kind, "hot-lock");
}

TEST_F(OverviewOfEvents, AServerAtItsContainersCpuLimitIsAWarning) {
  model().facts.cpus = model().facts.cpu_limit = 0.5;
  model().waits.ready_over_ns = 10e9;
  model().waits.ready_ns = 50e9;
  model().waits.ran_ns = 5e9;
  EXPECT_EQ(Find().findings.at(0).kind, "cpu-limit");
  EXPECT_TRUE(Find().is_healthy());  // nobody waits for an answer
  model().requests.finished = 1;
  EXPECT_TRUE(Find().is_healthy());  // it may have just started
  model().facts.process_started_unix_ns = 1'000 * uint64_t{kSecond};
  model().facts.started_unix_ns = 2'000 * uint64_t{kSecond};
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(
      overview.findings[0].title,
      "The container's CPU limit holds the process back: on average 5.0 threads were ready to "
      "run, and the process got 0.5 of 0.5 CPUs");
  EXPECT_EQ(overview.findings[0].command, "cpu");
  model().facts.cpu_limit = 0;
  EXPECT_TRUE(Find().findings.empty());
}

// The owner that they wait for has no processor.
TEST_F(OverviewOfEvents, WhereThreadsHaveNoProcessorWaitsForLocksAreANote) {
  LockWaits(100, 40 * kSecond, kSecond);
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  model().facts.cpus = 2;
  model().waits.ready_over_ns = 10e9;
  model().waits.ready_ns = 50e9;
  model().waits.ran_ns = 2e9;
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_TRUE(overview.is_healthy());
  EXPECT_EQ(overview.findings[0].kind, "no-processor");
  EXPECT_EQ(overview.findings[0].title,
            "Threads wait for a processor: on average 5.0 threads were ready to run, and the "
            "process got 0.2 of 2.0 CPUs");
  EXPECT_EQ(overview.findings[1].kind, "convoy");

  // A few waits are normal then: 0.2 threads on average.
  model().waits.locks.clear();
  model().waits.groups.clear();
  const OverviewRules rules;
  const auto waited_ns = static_cast<int64_t>(10 * kSecond * rules.hot_lock_threads_of_slowed);
  LockWaits(100, waited_ns, waited_ns / 100);
  EXPECT_EQ(Find().findings.at(1).kind, "hot-lock");
  model().waits.locks.clear();
  model().waits.groups.clear();
  LockWaits(100, waited_ns - 100, waited_ns / 100);
  EXPECT_EQ(Find().findings.size(), 1u);
}

TEST_F(OverviewOfEvents, AVeryLongWaitIsAWarning) {
  const OverviewRules rules;
  LockWaits(1, rules.long_wait_ns, rules.long_wait_ns);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "long-wait");
}

// They began to wait before the recording, so that no event reports it.
TEST_F(OverviewOfEvents, ThreadsThatStoodInALockAllTheTimeAreReported) {
  ThreadSnapshot snapshot;
  snapshot.at_ns = 10 * kSecond;
  ThreadInSnapshot wall_site;
  wall_site.stack = Stack({"Shop.Cart.Add", "System.Threading.Monitor.Enter"});
  wall_site.state = ThreadRunState::kSleeping;
  snapshot.threads = {wall_site, wall_site};
  model().waits.snapshots.push_back(snapshot);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "standing-still");
  EXPECT_EQ(overview.findings[0].subject, "Shop.Cart.Add");
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "2 threads have waited for a lock for 10.00 s or more in Shop.Cart.Add");
  // One alone may have a reason.
  model().waits.snapshots[0].threads.pop_back();
  EXPECT_TRUE(Find().findings.at(0).is_doubt);
  model().waits.snapshots[0].threads.push_back(wall_site);

  // One wait is reported once.
  const OverviewRules rules;
  LockWaits(1, rules.long_wait_ns, rules.long_wait_ns);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "long-wait");
  model().waits.groups.clear();

  // Not that long: a doubt, and at last it may be any wait.
  const auto since = [&](uint64_t ns) {
    const auto at_ns = 10 * kSecond - static_cast<int64_t>(ns);
    for (ThreadInSnapshot& thread : model().waits.snapshots[0].threads) {
      thread.unchanged_since_ns = at_ns;
    }
  };
  since(rules.standing_ns);
  EXPECT_EQ(Find().findings.at(0).severity, Severity::kWarning);
  since(rules.standing_ns - 1);
  EXPECT_TRUE(Find().findings.at(0).is_doubt);
  since(DeadlockRules{}.unchanged_ns);
  EXPECT_TRUE(Find().findings.at(0).is_doubt);
  since(DeadlockRules{}.unchanged_ns - 1);
  overview = Find();
  EXPECT_TRUE(overview.findings.empty());
  EXPECT_EQ(Of(overview, Signal::kLocks).state, State::kPartly);
}

// Its owner waits as well, for something that only a heap snapshot shows.
TEST_F(OverviewOfEvents, AThreadThatStandsInALockWithItsOwnerIsAWarning) {
  const auto stand = [&](const std::string& name, const std::vector<std::string>& stack) {
    ThreadInSnapshot thread;
    thread.thread = scene_.Thread(name);
    thread.stack = Stack(stack);
    thread.state = ThreadRunState::kSleeping;
    return thread;
  };
  ThreadSnapshot snapshot;
  snapshot.at_ns = 10 * kSecond;
  snapshot.threads = {stand("printer", {"Shop.Label.Print", "System.Threading.Monitor.Enter"}),
                      stand("flusher", {"Shop.Label.Flush", "System.Threading.Thread.Join"})};
  snapshot.threads[0].waits_for = 0xa;
  snapshot.threads[0].lock_owner = snapshot.threads[1].thread;
  model().waits.snapshots.push_back(snapshot);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(overview.findings[0].title,
            "1 thread has waited for a lock for 10.00 s or more in Shop.Label.Print");
  EXPECT_EQ(overview.findings[0].evidence,
            "According to the kernel, it did not run between the thread snapshots, nor did the "
            "owner of the monitor, \"flusher\", which is in Shop.Label.Flush, where it waits for a "
            "thread to end.");
  // An owner that runs gets on.
  model().waits.snapshots[0].threads[1].state = ThreadRunState::kRunning;
  EXPECT_TRUE(Find().findings.at(0).is_doubt);
}

TEST_F(OverviewOfEvents, ThreadsThatStandInSeveralLocksAreOneFinding) {
  ThreadSnapshot snapshot;
  snapshot.at_ns = 10 * kSecond;
  for (const char* method : {"Shop.Cart.Add", "Shop.Mail.Send", "Shop.Cart.Add"}) {
    ThreadInSnapshot thread;
    thread.stack = Stack({method, "System.Threading.Monitor.Enter"});
    thread.state = ThreadRunState::kSleeping;
    snapshot.threads.push_back(thread);
  }
  model().waits.snapshots.push_back(snapshot);
  const Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].title,
            "3 threads have waited for locks for 10.00 s or more, 2 of them in Shop.Cart.Add");
  EXPECT_TRUE(overview.findings[0].evidence.starts_with("The others: Shop.Mail.Send. "))
      << overview.findings[0].evidence;
}

TEST_F(OverviewOfEvents, ADeadlockSilencesTheWaitsThatItExplainsAndNoOthers) {
  model().facts.last_ns = 30 * kSecond;
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 5; ++i) {
    threads.push_back(static_cast<ThreadIndex>(model().threads.size()));
    model().threads.push_back({.id = 10 + i, .os_id = 100 + i});
  }
  const auto wait = [&](size_t who, uint64_t lock, size_t owner, const char* method) {
    model().waits.open.push_back({.id = who,
                                  .kind = WaitKind::kMonitor,
                                  .thread = threads[who],
                                  .lock = lock,
                                  .owner = threads[owner],
                                  .stack = Stack({method, "System.Threading.Monitor.Enter"}),
                                  .start_ns = static_cast<int64_t>(who + 1) * kSecond});
  };
  wait(0, 0xa, 1, "Shop.Bank.Book");
  wait(1, 0xb, 0, "Shop.Bank.Cancel");
  wait(2, 0xa, 1, "Shop.Bank.Show");  // behind it
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "lock-cycle");
  EXPECT_EQ(Of(overview, Signal::kLocks).state, Coverage::State::kFound);
  // Nor are those a problem of their own that a timeout has ended.
  model().waits.groups.push_back(
      {.kind = WaitKind::kMonitor,
       .stack = Stack({"Shop.Bank.Show", "System.Threading.Monitor.Enter"}),
       .count = 3,
       .total_ns = 26 * kSecond,
       .longest_ns = 15 * kSecond});
  EXPECT_EQ(Find().findings.size(), 1u);
  model().waits.groups.back().total_ns = 28 * kSecond;
  EXPECT_EQ(Find().findings.size(), 2u);
  model().waits.groups.pop_back();
  wait(3, 0xc, 4, "Shop.Mail.Send");
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].kind, "long-wait");
  EXPECT_EQ(overview.findings[1].subject, "Shop.Mail.Send");
  // A thread that waits for what a deadlocked thread holds is explained by the deadlock, whichever
  // source reports it.
  model().waits.open.back().owner = threads[0];
  EXPECT_EQ(Find().findings.size(), 1u);
  LockWaits(100, 70 * kSecond, kSecond);
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].kind, "convoy");
}

// They were there before the recording began.
TEST_F(OverviewOfEvents, ThreadsThatADeadlockExplainsAreNotReportedAsStandingStill) {
  ThreadSnapshot snapshot;
  snapshot.at_ns = 20 * kSecond;
  model().facts.last_ns = 20 * kSecond;
  const auto stand = [&](const char* method, uint64_t lock, uint32_t owner) {
    ThreadInSnapshot thread;
    thread.thread = static_cast<ThreadIndex>(model().threads.size());
    model().threads.push_back({.id = thread.thread, .os_id = 100 + thread.thread});
    thread.stack = Stack({method, "System.Threading.Monitor.Enter"});
    thread.state = ThreadRunState::kSleeping;
    thread.waits_for = lock;
    thread.lock_owner = thread.thread + owner;
    snapshot.threads.push_back(thread);
  };
  stand("Shop.Bank.Book", 0xa, 1);
  stand("Shop.Bank.Cancel", 0xb, ~0u);
  for (uint32_t i = 1; i <= 3; ++i) stand("Shop.Bank.Show", 0xa, ~i + 1);  // the second
  model().waits.snapshots.push_back(snapshot);
  Overview overview = Find();
  ASSERT_EQ(overview.findings.size(), 1u);
  EXPECT_EQ(overview.findings[0].kind, "lock-cycle");
  for (int i = 0; i < 2; ++i) stand("Shop.Mail.Send", 0, 0);
  for (size_t i = 5; i < 7; ++i) snapshot.threads[i].lock_owner = 0;
  model().waits.snapshots[0] = snapshot;
  overview = Find();
  ASSERT_EQ(overview.findings.size(), 2u);
  EXPECT_EQ(overview.findings[1].kind, "standing-still");
  EXPECT_EQ(overview.findings[1].subject, "Shop.Mail.Send");
}

// As after a Monitor.Enter before an await and a Monitor.Exit after it, on another thread.
TEST_F(OverviewOfEvents, ALockWhoseOwnerIsAnIdlePoolWorkerWasNeverReleased) {
  model().facts.last_ns = 40 * kSecond;
  const auto find = [&](const std::vector<std::string>& owner) {
    model().waits.open.clear();
    for (uint64_t i = 0; i < 4; ++i) {
      OpenWait wait;
      wait.id = i + 1;
      wait.kind = WaitKind::kMonitor;
      wait.thread = scene_.Thread("");
      wait.lock = 0x7000;
      wait.stack = Stack({"Shop.Cart.Add", "System.Threading.Monitor.Enter"});
      wait.owner_stack = Stack(owner);
      wait.start_ns = kSecond;
      model().waits.open.push_back(wait);
    }
    std::vector<Finding> locks = Find().findings;
    std::erase_if(locks, [](const Finding& other) { return other.signal != Signal::kLocks; });
    return locks;
  };
  constexpr char kWorker[] = "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart";
  const std::vector<Finding> found = find({kWorker, "System.Threading.LowLevelLifoSemaphore.Wait"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "never-released-lock");
  EXPECT_EQ(found[0].title, "Never released: a lock in Shop.Cart.Add; 4 threads wait for it");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  for (const Finding& other : find({kWorker, "Shop.Cart.Fetch"})) {
    EXPECT_NE(other.kind, "never-released-lock");
  }
}

}  // namespace
}  // namespace hindsight::analyzer
