// Where threads are, and which are judged to be stuck for good.
#include "analyzer/analyses/waits/thread_stacks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/model/thread_snapshots.h"

namespace hindsight::analyzer {
namespace {

using Kind = ThreadProblem::Kind;
constexpr int64_t kSecond = 1'000'000'000;

class ThreadStacksTest : public testing::Test {
 protected:
  ThreadStacksTest() { model_.facts.pid = 100; }

  // Named in full: the fixture's Method hides the model's.
  MethodId Method(std::string_view type, std::string_view name) {
    Dictionaries& dictionaries = model_.dictionaries;
    Type declaring;
    declaring.name = dictionaries.AddString(type);
    analyzer::Method method;
    method.name = dictionaries.AddString(name);
    method.type = dictionaries.AddType(declaring);
    return dictionaries.AddMethod(method);
  }
  // Outermost first.
  StackId Stack(const std::vector<MethodId>& methods) {
    StackId stack = 0;
    for (const MethodId method : methods) stack = model_.dictionaries.AddStack(stack, method);
    return stack;
  }
  StackId Waiting(std::string_view name) {
    return Stack({Method("Shop.Feed", name), Method("System.Threading.WaitHandle", "WaitOne")});
  }
  ThreadIndex Thread(uint32_t os_id, StackId creator = 0) {
    model_.threads.push_back({.id = os_id, .os_id = os_id, .creator_stack = creator});
    return static_cast<ThreadIndex>(model_.threads.size() - 1);
  }

  void Begin(int64_t at_s, uint32_t threads) {
    ThreadSnapshot head;
    head.number = ++number_;
    head.at_ns = at_s * kSecond;
    head.announced = threads;
    head.pause_ns = 1000;
    tracker_.Begin(head);
  }
  void Add(ThreadIndex thread, StackId stack, uint64_t cpu_ns) {
    tracker_.Add(number_, {.thread = thread, .stack = stack, .cpu_ns = cpu_ns, .switches = cpu_ns});
  }
  ThreadStackReport Analyze() {
    tracker_.Finish(model_.waits);
    return AnalyzeThreadStacks(model_, {});
  }

  Model model_;
  ThreadSnapshotTracker tracker_;
  uint32_t number_ = 0;
  const ThreadIndex main_ = Thread(100);
  const StackId in_main_ = Stack({Method("Shop.Program", "Main")});
};

TEST_F(ThreadStacksTest, AThreadIsUnchangedSinceTheFirstSnapshotInARow) {
  const ThreadIndex waiter = Thread(101);
  const StackId stack = Waiting("Read");
  Begin(1, 2);
  Add(main_, in_main_, 5);
  Add(waiter, stack, 10);
  Begin(2, 2);
  Add(main_, in_main_, 6);
  Add(waiter, stack, 20);  // it has run, and is back
  Begin(3, 2);
  Add(main_, in_main_, 7);
  Add(waiter, stack, 20);
  Begin(7, 2);
  Add(main_, in_main_, 9);
  Add(waiter, stack, 20);
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.stacks.size(), 2u);
  for (const ThreadStack& place : report.stacks) {
    const StackThread& thread = place.threads.at(0);
    const bool waits = thread.thread == waiter;
    EXPECT_EQ(thread.unchanged_ns, waits ? 5 * kSecond : 0);
    EXPECT_EQ(thread.ran_ns, waits ? 0 : 2);
  }
  EXPECT_EQ(model_.waits.snapshot_count, 4u);
  EXPECT_EQ(model_.waits.snapshots.front().number, 1u);
  EXPECT_EQ(model_.waits.snapshots.back().number, 4u);
}

TEST_F(ThreadStacksTest, WithoutProofNothingIsUnchanged) {
  Begin(1, 1);
  Add(main_, in_main_, 0);
  Begin(200, 1);
  Add(main_, in_main_, 0);
  EXPECT_EQ(Analyze().stacks.at(0).threads.at(0).unchanged_ns, 0u);
}

TEST_F(ThreadStacksTest, SnapshotsThatAreCutShortAreNotShown) {
  Begin(1, 1);
  Add(main_, in_main_, 1);
  Begin(2, 9);
  Add(main_, in_main_, 1);
  const ThreadStackReport report = Analyze();
  ASSERT_NE(report.snapshot, nullptr);
  EXPECT_EQ(report.snapshot->number, 1u);
  EXPECT_EQ(model_.waits.snapshots.size(), 1u);
}

TEST_F(ThreadStacksTest, StatesOfOtherSnapshotsAreDropped) {
  tracker_.Add(1, {.thread = main_});
  Begin(1, 1);
  tracker_.Add(7, {.thread = main_});
  Add(main_, in_main_, 1);
  EXPECT_EQ(Analyze().snapshot->threads.size(), 1u);
}

TEST_F(ThreadStacksTest, SeveralThreadsThatWaitForLongAreZombies) {
  const StackId stack = Waiting("Read");
  const ThreadIndex first = Thread(101), second = Thread(102);
  for (const int64_t at : {1, 30, 61}) {
    Begin(at, 3);
    Add(main_, in_main_, 5);
    Add(first, stack, 1);
    Add(second, stack, 2);
  }
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].kind, Kind::kZombie);
  EXPECT_EQ(report.problems[0].threads.size(), 2u);
  EXPECT_TRUE(report.problems[0].endless);
}

// The JIT inlined the waiting method into its caller for threads that came later.
TEST_F(ThreadStacksTest, OnePlaceIsOneRowWhateverTheJitInlined) {
  const MethodId own = Method("Shop.Feed", "Read");
  const MethodId wait = Method("System.Threading.WaitHandle", "WaitOne");
  const StackId plain = Stack({own, Method("System.Threading.EventWaitHandle", "Wait"), wait});
  const StackId inlined = Stack({own, wait});
  std::vector<std::pair<ThreadIndex, StackId>> waiters;
  for (uint32_t i = 0; i < 4; ++i) waiters.emplace_back(Thread(101 + i), i == 2 ? inlined : plain);
  for (const int64_t at_s : {1, 200}) {
    Begin(at_s, 5);
    Add(main_, in_main_, static_cast<uint64_t>(at_s));
    for (const auto& [thread, stack] : waiters) Add(thread, stack, 10);
  }
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].kind, ThreadProblem::Kind::kZombie);
  EXPECT_EQ(report.problems[0].threads.size(), 4u);
  EXPECT_EQ(report.problems[0].stack, plain);
}

TEST_F(ThreadStacksTest, WhatIsNoProblem) {
  const StackId lock =
      Stack({Method("Shop.Feed", "Take"), Method("System.Threading.Monitor", "Enter")});
  const StackId worker =
      Stack({Method("System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"),
             Method("Shop.Feed", "Read"), Method("System.Threading.WaitHandle", "WaitOne")});
  const StackId framework = Stack({Method("System.Net.Sockets.SocketAsyncEngine", "EventLoop"),
                                   Method("System.Threading.WaitHandle", "WaitOne")});
  const StackId young = Waiting("Young"), single = Waiting("Single");
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 9; ++i) threads.push_back(Thread(101 + i));
  for (const int64_t at : {1, 50, 70}) {
    Begin(at, 10);
    Add(main_, in_main_, 5);
    for (size_t i = 0; i < 2; ++i) {
      Add(threads[i], lock, 1);           // `hindsight deadlocks` judges those
      Add(threads[2 + i], worker, 1);     // and `hindsight pool`
      Add(threads[4 + i], framework, 1);  // nobody's
      Add(threads[6 + i], young, at == 1 ? 1 : 2);
    }
    Add(threads[8], single, 1);
  }
  const ThreadStackReport report = Analyze();
  EXPECT_TRUE(report.problems.empty());
  EXPECT_FALSE(report.main_has_returned);
  EXPECT_EQ(report.stacks.size(), 6u);
}

TEST_F(ThreadStacksTest, WithoutAMainThreadTheyKeepTheProcess) {
  const StackId stack = Waiting("Read");
  const ThreadIndex first = Thread(101), second = Thread(102);
  for (const int64_t at : {1, 70}) {
    Begin(at, 2);
    Add(first, stack, 1);
    Add(second, stack, 2);
  }
  const ThreadStackReport report = Analyze();
  EXPECT_TRUE(report.main_has_returned);
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].kind, Kind::kForeground);
}

// Two workers of a package that have nothing to do. Its assembly tells whose they are.
TEST_F(ThreadStacksTest, APackagesThreadsMayWaitForWorkButNotKeepTheProcess) {
  Dictionaries& dictionaries = model_.dictionaries;
  Module module;
  module.path = dictionaries.AddString(
      "/home/ann/.nuget/packages/sql/6.0.0/lib/Microsoft.Data.SqlClient.dll");
  module.assembly = dictionaries.AddString("Microsoft.Data.SqlClient");
  Type type;
  type.name = dictionaries.AddString("Microsoft.Data.SqlClient.Worker");
  type.module = dictionaries.AddModule(module);
  analyzer::Method method;
  method.name = dictionaries.AddString("Run");
  method.module = type.module;
  method.type = dictionaries.AddType(type);
  const StackId stack =
      Stack({dictionaries.AddMethod(method), Method("System.Threading.WaitHandle", "WaitOne")});
  const ThreadIndex first = Thread(101), second = Thread(102);
  const auto kinds = [&](bool has_main) {
    tracker_ = {};
    model_.waits = {};
    for (const int64_t at : {1, 70}) {
      Begin(at, has_main ? 3 : 2);
      if (has_main) Add(main_, in_main_, 5);
      Add(first, stack, 1);
      Add(second, stack, 2);
    }
    std::vector<Kind> found;
    for (const ThreadProblem& problem : Analyze().problems) found.push_back(problem.kind);
    return found;
  };
  EXPECT_EQ(kinds(true), std::vector<Kind>{});
  EXPECT_EQ(kinds(false), std::vector<Kind>{Kind::kForeground});
}

TEST_F(ThreadStacksTest, OneOriginOfManyThatNeverEndLeaksThem) {
  const StackId creator = Stack({Method("Shop.Program", "Main"), Method("Shop.Feed", "Open")});
  const StackId stack = Waiting("Read"), inlined = Waiting("Inlined");
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 30; ++i) threads.push_back(Thread(200 + i, creator));
  const auto take = [&] {
    for (const int64_t at : {1, 70}) {
      Begin(at, 31);
      Add(main_, in_main_, 5);
      for (size_t i = 0; i < 30; ++i) Add(threads[i], i < 20 ? stack : inlined, 1);
    }
  };
  take();
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].kind, Kind::kLeak);
  EXPECT_EQ(report.problems[0].threads.size(), 30u);
  EXPECT_EQ(report.problems[0].stack, stack);
  EXPECT_EQ(report.problems[0].creator, creator);

  // A place that starts threads and ends them does not.
  for (uint32_t i = 0; i < 4; ++i) model_.threads[Thread(900 + i, creator)].has_end = true;
  const ThreadStackReport healthy = AnalyzeThreadStacks(model_, {});
  for (const ThreadProblem& problem : healthy.problems) EXPECT_EQ(problem.kind, Kind::kZombie);
}

TEST_F(ThreadStacksTest, ThreadsThatOnePlaceStartsOneAfterTheOtherLeakByTheirGrowth) {
  const ThreadStackRules rules;
  const StackId creator = Stack({Method("Shop.Program", "Main"), Method("Shop.Feed", "Open")});
  const StackId other_way = Stack(
      {Method("Shop.Host", "Run"), Method("Shop.Program", "Main"), Method("Shop.Feed", "Open")});
  const StackId stack =
      Stack({Method("Shop.Feed", "Serve"), Method("System.Threading.SemaphoreSlim", "Wait")});
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < rules.least_leaked; ++i) {
    threads.push_back(Thread(200 + i, i % 2 == 0 ? creator : other_way));
    model_.threads.back().has_start = true;
    model_.threads.back().start_ns = static_cast<int64_t>(i) * kSecond / 4;
  }
  Begin(5, static_cast<uint32_t>(threads.size()) + 1);
  Add(main_, in_main_, 5);
  for (const ThreadIndex thread : threads) Add(thread, stack, 1);
  model_.facts.last_ns = 5 * kSecond;
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].kind, Kind::kLeak);
  EXPECT_EQ(report.problems[0].threads.size(), rules.least_leaked);
  EXPECT_EQ(report.problems[0].started_over_ns, 5u * kSecond);

  const auto problems = [this] { return AnalyzeThreadStacks(model_, {}).problems.size(); };
  model_.facts.last_ns = 5 * kSecond - 1;  // too short a recording
  EXPECT_EQ(problems(), 0u);
  model_.facts.last_ns = 9 * kSecond;  // no more of them for long
  EXPECT_EQ(problems(), 0u);
  model_.facts.last_ns = 5 * kSecond;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(problems(), 1u);
    model_.threads[Thread(900, creator)].has_end = true;
  }
  model_.threads[Thread(900, creator)].has_end = true;  // they end after all
  EXPECT_EQ(problems(), 0u);
}

TEST_F(ThreadStacksTest, AFinalizerThatWaitsForLongHoldsUpAllOthers) {
  const MethodId run = Method("System.GC", "RunFinalizers");
  const MethodId finalize = Method("Shop.Socket", "Finalize");
  const MethodId wait = Method("System.Threading.WaitHandle", "WaitOne");
  const ThreadIndex called = Thread(101), named = Thread(102), another = Thread(103);
  model_.threads[named].name = model_.dictionaries.AddString(".NET Finalizer");
  for (const int64_t at : {1, 11}) {
    Begin(at, 4);
    Add(main_, in_main_, 5);
    Add(called, Stack({run, finalize, wait}), 1);
    Add(named, Stack({finalize, wait}), 1);
    Add(another, Stack({Method("Shop.Feed", "Read"), finalize, wait}), 1);
  }
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 2u);
  for (const ThreadProblem& problem : report.problems) {
    EXPECT_EQ(problem.kind, Kind::kFinalizer);
    EXPECT_NE(problem.threads.at(0).thread, another);
    EXPECT_TRUE(problem.endless);
  }
  ThreadStackRules rules;
  rules.finalizer_ns = 10 * kSecond + 1;
  EXPECT_TRUE(AnalyzeThreadStacks(model_, rules).problems.empty());
}

// A producer has something to do; a consumer whose collection is empty has not.
TEST_F(ThreadStacksTest, AThreadThatWaitsForRoomInACollectionIsStuckSooner) {
  constexpr std::string_view kCollection = "System.Collections.Concurrent.BlockingCollection`1";
  const MethodId run = Method("Shop.Feed", "Fill");
  const MethodId wait = Method("System.Threading.SemaphoreSlim", "Wait");
  const StackId add = Stack({run, Method(kCollection, "TryAddWithNoTimeValidation"), wait});
  const StackId take = Stack({run, Method(kCollection, "TryTakeWithNoTimeValidation"), wait});
  const StackId other = Stack({run, Method("Shop.Feed", "AddTo"), wait});
  const ThreadIndex producer = Thread(101), second = Thread(102), late = Thread(103);
  const ThreadIndex consumer = Thread(104), somebody = Thread(105);
  for (const int64_t at : {1, 11}) {
    Begin(at, 6);
    Add(main_, in_main_, 5);
    Add(producer, add, 1);
    Add(second, add, 1);
    Add(late, add, static_cast<uint64_t>(at));
    Add(consumer, take, 1);
    Add(somebody, other, 1);
  }
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].kind, Kind::kFull);
  ASSERT_EQ(report.problems[0].threads.size(), 2u);
  EXPECT_EQ(report.problems[0].threads[0].thread, producer);
  EXPECT_EQ(report.problems[0].threads[1].thread, second);
  ThreadStackRules rules;
  rules.full_ns = 10 * kSecond + 1;
  EXPECT_TRUE(AnalyzeThreadStacks(model_, rules).problems.empty());
}

// What the JIT has inlined into the framework's frames is not another place, and not the
// framework's fault.
TEST_F(ThreadStacksTest, ThreadsWithoutAFrameOfYoursLeakIfYoursStartedThem) {
  const StackId creator = Stack({Method("Shop.Program", "Main"), Method("Shop.Feed", "Open")});
  const MethodId start = Method("System.Threading.Thread", "StartCallback");
  const MethodId sleep = Method("System.Threading.Thread", "Sleep");
  const StackId clear = Stack({start, Method("Shop.Feed", "Serve"), sleep});
  const StackId inlined = Stack({start, sleep});
  const auto begin = [&](StackId started_at, uint32_t inlined_from = 12) {
    model_.threads.resize(1);
    number_ = 0;
    model_.waits = {};
    tracker_ = {};
    Begin(8, 31);
    Add(main_, in_main_, 5);
    for (uint32_t i = 0; i < 30; ++i) {
      const ThreadIndex thread = Thread(200 + i, started_at);
      model_.threads[thread].has_start = true;
      model_.threads[thread].start_ns = static_cast<int64_t>(i) * kSecond / 4;
      Add(thread, i < inlined_from ? clear : inlined, 1);
    }
    model_.facts.last_ns = 8 * kSecond;
  };
  for (const uint32_t inlined_from : {12u, 28u}) {
    begin(creator, inlined_from);
    const ThreadStackReport report = Analyze();
    ASSERT_EQ(report.problems.size(), 1u);
    EXPECT_EQ(report.problems[0].threads.size(), 30u);
    EXPECT_EQ(report.problems[0].stack, clear);
  }

  Module framework;
  framework.assembly = model_.dictionaries.AddString("System.Private.CoreLib");
  Type type;
  type.name = model_.dictionaries.AddString("System.Threading.Timers");
  type.module = model_.dictionaries.AddModule(framework);
  analyzer::Method method;
  method.name = model_.dictionaries.AddString("Start");
  method.type = model_.dictionaries.AddType(type);
  method.module = type.module;
  begin(Stack({model_.dictionaries.AddMethod(method)}));
  EXPECT_TRUE(Analyze().problems.empty());
}

TEST_F(ThreadStacksTest, TheRulesHoldAtTheirEdges) {
  const StackId creator = Stack({Method("Shop.Program", "Main"), Method("Shop.Threads", "Start")});
  const StackId stack = Waiting("Read"), elsewhere = Waiting("Idle");
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 40; ++i) threads.push_back(Thread(200 + i, creator));
  for (const int64_t at : {1, 61}) {
    Begin(at, 41);
    Add(main_, in_main_, static_cast<uint64_t>(at));
    for (size_t i = 0; i < 40; ++i) Add(threads[i], i < 30 ? stack : elsewhere, 1);
  }
  tracker_.Finish(model_.waits);
  const auto most = [this](const ThreadStackRules& rules, Kind kind) {
    size_t threads_of_one = 0;
    for (const ThreadProblem& problem : AnalyzeThreadStacks(model_, rules).problems) {
      if (problem.kind == kind) threads_of_one = std::max(threads_of_one, problem.threads.size());
    }
    return threads_of_one;
  };
  // A third of those that wait at the other place.
  EXPECT_EQ(most({.least_leaked = 1, .fewer_elsewhere = 3}, Kind::kLeak), 40u);
  EXPECT_EQ(most({.least_leaked = 1, .fewer_elsewhere = 2}, Kind::kLeak), 30u);
  EXPECT_EQ(most({.least_leaked = 40}, Kind::kLeak), 40u);
  EXPECT_EQ(most({.least_leaked = 41}, Kind::kLeak), 0u);
  EXPECT_EQ(most({.least_zombies = 30, .least_leaked = 41}, Kind::kZombie), 30u);
  EXPECT_EQ(most({.least_zombies = 31, .least_leaked = 41}, Kind::kZombie), 0u);
  const uint64_t minute = 60 * static_cast<uint64_t>(kSecond);
  EXPECT_EQ(most({.unchanged_ns = minute, .least_leaked = 41}, Kind::kZombie), 30u);
  EXPECT_EQ(most({.unchanged_ns = minute + 1, .least_leaked = 41}, Kind::kZombie), 0u);
}

// A consumer without work looks the same, so it is no problem; nor is it none.
TEST_F(ThreadStacksTest, OneThatStandsAloneMayBeIdleOrStuck) {
  const StackId stack = Waiting("Read");
  const ThreadIndex thread = Thread(200, 0), other = Thread(201, 0);
  for (const int64_t at : {1, 61}) {
    Begin(at, 3);
    Add(main_, in_main_, 5);
    Add(thread, stack, 1);
    Add(other, Waiting("Idle"), static_cast<uint64_t>(at));  // it runs at times
  }
  tracker_.Finish(model_.waits);
  const uint64_t minute = 60 * static_cast<uint64_t>(kSecond);
  const ThreadStackReport report = AnalyzeThreadStacks(model_, {.unchanged_ns = minute});
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(StillText(report, MethodNames(model_.dictionaries)),
            "1 thread of yours has not run for 1 m 00 s or more, in Shop.Feed.Read");
  EXPECT_TRUE(AnalyzeThreadStacks(model_, {.unchanged_ns = minute + 1}).still.empty());
}

// One helper starts all of them.
TEST_F(ThreadStacksTest, WhatWaitsElsewhereIsNoPartOfALeak) {
  const StackId creator = Stack({Method("Shop.Program", "Main"), Method("Shop.Threads", "Start")});
  const StackId stack = Waiting("Read"), elsewhere = Waiting("Idle");
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 42; ++i) threads.push_back(Thread(200 + i, creator));
  for (const int64_t at : {1, 70}) {
    Begin(at, 43);
    Add(main_, in_main_, 5);
    for (size_t i = 0; i < 42; ++i) Add(threads[i], i < 40 ? stack : elsewhere, 1);
  }
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 2u);
  std::map<Kind, size_t> counts;
  for (const ThreadProblem& problem : report.problems) {
    counts[problem.kind] = problem.threads.size();
  }
  EXPECT_EQ(counts[Kind::kLeak], 40u);
  EXPECT_EQ(counts[Kind::kZombie], 2u);
}

// What one of its callers leaks is not leaked by another one.
TEST_F(ThreadStacksTest, AHelperThatStartsAllThreadsIsNoPlaceInCommon) {
  const MethodId help = Method("Shop.Threads", "Begin");
  const StackId leak = Stack({Method("Shop.Feed", "Open"), help});
  const StackId other = Stack({Method("Shop.Mail", "Open"), help});
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 24; ++i) threads.push_back(Thread(200 + i, i < 20 ? leak : other));
  for (const int64_t at : {1, 70}) {
    Begin(at, 25);
    Add(main_, in_main_, 5);
    for (size_t i = 0; i < 24; ++i) Add(threads[i], Waiting(i < 20 ? "Read" : "Send"), 1);
  }
  const ThreadStackReport report = Analyze();
  ASSERT_EQ(report.problems.size(), 2u);
  EXPECT_EQ(report.problems[0].kind, Kind::kLeak);
  EXPECT_EQ(report.problems[0].threads.size(), 20u);
  EXPECT_EQ(report.problems[1].kind, Kind::kZombie);
  EXPECT_EQ(report.problems[1].threads.size(), 4u);
}

TEST_F(ThreadStacksTest, ASetOfWorkersThatWereStartedAtOnceIsNoLeak) {
  const StackId creator = Stack({Method("Shop.Program", "Main"), Method("Shop.Feed", "Open")});
  const StackId stack = Waiting("Read");
  std::vector<ThreadIndex> threads;
  for (uint32_t i = 0; i < 64; ++i) {
    threads.push_back(Thread(200 + i, creator));
    model_.threads.back().has_start = true;
    model_.threads.back().start_ns = i;
  }
  Begin(10, 65);
  Add(main_, in_main_, 5);
  for (const ThreadIndex thread : threads) Add(thread, stack, 1);
  model_.facts.last_ns = 10 * kSecond;
  EXPECT_TRUE(Analyze().problems.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
