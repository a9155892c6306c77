// What is found in a heap snapshot, and from which amount on.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::WaitScene;
using State = Coverage::State;

struct Looked {
  std::unique_ptr<HeapModel> model;
  std::unique_ptr<RootPaths> paths;
  Dominators dominators;
  Reports reports;
  Overview overview;

  const Coverage& Of(Signal signal) const {
    return overview.coverage.at(static_cast<size_t>(signal));
  }
};

Looked Look(std::unique_ptr<HeapModel> model, const TaskAwaits* before = nullptr) {
  Looked out;
  out.model = std::move(model);
  out.paths = std::make_unique<RootPaths>(out.model->graph);
  out.dominators = ComputeDominators(out.model->graph);
  out.reports = MakeReports(
      nullptr, std::make_unique<HeapReports>(*out.model, *out.paths, out.dominators, before));
  out.overview = FindAll(out.reports);
  return out;
}

// `count` async methods that wait for an answer each; their stack ends in Shop.Client.Send.
std::unique_ptr<HeapModel> Waiting(int count, uint64_t unix_ns = 0) {
  WaitScene scene;
  for (int i = 0; i < count; ++i) {
    const ObjectId answer = scene.Promise("Shop.Reply");
    scene.Async("Shop.Client+<Send>d__1", 0, answer, WaitScene::kNone, WaitScene::kNone, 500 + i);
  }
  scene.heap().facts().unix_ns = unix_ns;
  scene.heap().facts().number = 1;
  return scene.Build();
}

TaskAwaits AwaitsIn(const HeapModel& model) {
  const RootPaths paths(model.graph);
  return AwaitsOf(HeapWaits(model, paths));
}

TEST(OverviewOfAHeap, WithoutEventsOtherSignalsAreNotRecorded) {
  HeapBuilder heap;
  heap.facts().result = HeapFacts::Result::kComplete;
  const Looked looked = Look(heap.Build());
  EXPECT_TRUE(looked.overview.is_healthy());
  EXPECT_EQ(looked.Of(Signal::kTasks).state, State::kNothingThere);
  for (const Signal signal : {Signal::kThreads, Signal::kPool, Signal::kExceptions, Signal::kPauses,
                              Signal::kCpu, Signal::kAllocations, Signal::kLocks}) {
    EXPECT_EQ(looked.Of(signal).state, State::kNotRecorded) << SignalName(signal);
  }
}

TEST(OverviewOfAHeap, IsHealthyOnlyBySeveralSnapshots) {
  HeapBuilder heap;
  heap.facts().result = HeapFacts::Result::kComplete;
  Looked looked = Look(heap.Build());
  EXPECT_EQ(looked.Of(Signal::kHeap).state, State::kPartly);
  EXPECT_EQ(looked.Of(Signal::kHeap).note, "One snapshot shows what is large, not what grows.");
  const auto state_by = [&](size_t snapshots, uint64_t series_ns = 60'000'000'000) {
    looked.reports.heap->leaks.snapshots = snapshots;
    looked.reports.heap->leaks.series_ns = series_ns;
    looked.overview = FindAll(looked.reports);
    return looked.Of(Signal::kHeap).state;
  };
  EXPECT_EQ(state_by(2), State::kPartly);
  EXPECT_EQ(state_by(3), State::kHealthy);
  EXPECT_EQ(state_by(3, 12'000'000'000), State::kPartly);
  EXPECT_EQ(looked.Of(Signal::kHeap).note,
            "The snapshots are of 12.00 s: what grows slowly was not seen.");
}

TEST(OverviewOfAHeap, ASnapshotThatBreaksOffIsSeenInPart) {
  HeapBuilder heap;
  heap.facts().result = HeapFacts::Result::kChildDied;
  EXPECT_EQ(Look(heap.Build()).Of(Signal::kHeap).state, State::kPartly);
}

// Two threads: each has one of the monitors and waits for the other one.
void WaitForEachOther(WaitScene& scene, ObjectId first, ObjectId second) {
  scene.heap().Monitor({first, 11, 1, 0, true});
  scene.heap().Monitor({second, 12, 2, 0, true});
  const auto thread = [&](uint32_t n, ObjectId wanted) {
    scene.Thread({.os_id = 10 + n,
                  .clr_thread = 0x7000 + n,
                  .managed_id = n,
                  .stack = {"System.Threading.Monitor.Enter", "Shop.Bank.Book"},
                  .objects = {{.object = wanted, .frame = 0}},
                  .waiting_monitor = wanted});
  };
  thread(1, second);
  thread(2, first);
}

TEST(OverviewOfAHeap, ACycleOfLocksIsCriticalAndFirst) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account"), ledger = scene.Object("Shop.Ledger");
  WaitForEachOther(scene, account, ledger);
  const Looked looked = Look(scene.Build());
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  const Finding& finding = looked.overview.findings[0];
  EXPECT_EQ(finding.severity, Severity::kCritical);
  EXPECT_EQ(finding.kind, "lock-cycle");
  EXPECT_EQ(finding.title, "Lock cycle of 2: monitor Shop.Ledger and monitor Shop.Account");
  EXPECT_TRUE(finding.evidence.starts_with("Certain: ")) << finding.evidence;
  EXPECT_EQ(looked.Of(Signal::kDeadlocks).state, State::kFound);
}

// Workers that sleep in the pool's own code, into which the work was inlined; the tasks show whose
// it is.
std::unique_ptr<HeapModel> HiddenWork(uint64_t workers, uint64_t others) {
  WaitScene scene;
  const ObjectId letter = scene.Object("Shop.Letter");
  for (uint32_t n = 1; n <= workers; ++n) {
    scene.Thread({.os_id = 10 + n,
                  .clr_thread = 0x7000 + n,
                  .managed_id = n,
                  .stack = {"System.Threading.Thread.Sleep",
                            "System.Threading.ExecutionContext.RunFromThreadPoolDispatchLoop",
                            "System.Threading.ThreadPoolWorkQueue.Dispatch",
                            "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"},
                  .objects = {{.object = letter, .frame = 1}}});
    scene.TaskOf(n > workers - others ? "Shop.Other" + std::to_string(n) + "+<>c"
                                      : "Shop.Mail+<>c__DisplayClass5_0",
                 WaitScene::kRunning);
  }
  scene.TaskOf("Shop.Mail+<>c__DisplayClass5_0", WaitScene::kQueued);
  return scene.Build();
}

TEST(OverviewOfAHeap, WorkThatNoStackNamesIsKnownByItsTasks) {
  const OverviewRules rules;
  const Looked looked = Look(HiddenWork(rules.blocked_workers, rules.blocked_workers / 2));
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  const Finding& finding = looked.overview.findings[0];
  EXPECT_EQ(finding.kind, "blocked-workers");
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.title, "8 of 8 workers of the thread pool block, most in work of Shop.Mail");
  EXPECT_NE(finding.evidence.find("4 of the tasks that run are of Shop.Mail, and 1 more"),
            std::string::npos)
      << finding.evidence;
  EXPECT_TRUE(Look(HiddenWork(rules.blocked_workers - 1, 0)).overview.findings.empty());
  // Too few of those that block belong to one class.
  ASSERT_EQ(rules.work_share, 0.5);
  EXPECT_TRUE(Look(HiddenWork(rules.blocked_workers, rules.blocked_workers / 2 + 1))
                  .overview.findings.empty());
}

TEST(OverviewOfAHeap, OneSnapshotDoesNotShowWhetherTasksGetOn) {
  const OverviewRules rules;
  const auto many = static_cast<int>(rules.waiting_tasks);
  EXPECT_TRUE(Look(Waiting(many - 1)).overview.findings.empty());
  const Looked looked = Look(Waiting(many));
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(looked.overview.findings[0].subject, "Shop.Client.Send");
  EXPECT_DOUBLE_EQ(looked.overview.findings[0].impact, rules.one_moment);  // there are no others
  EXPECT_EQ(looked.Of(Signal::kTasks).state, State::kPartly);
}

TEST(OverviewOfAHeap, TasksThatStandStillInTwoSnapshotsAreStuck) {
  const OverviewRules rules;
  const auto few = static_cast<int>(rules.stuck_tasks);
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const TaskAwaits before = AwaitsIn(*Waiting(few, kBegin));
  const auto overview = [&](int count, uint64_t after_ns) {
    return Look(Waiting(count, kBegin + after_ns), &before).overview;
  };
  EXPECT_TRUE(overview(few, rules.stuck_ns - 1).findings.empty());
  EXPECT_TRUE(overview(few - 1, rules.stuck_ns).findings.empty());
  const Overview found = overview(few, rules.stuck_ns);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(found.findings[0].kind, "stuck-tasks");
}

// What workers of a starved pool block on may only wait for a worker.
TEST(OverviewOfAHeap, TasksThatAStarvedPoolHoldsUpAreANote) {
  const OverviewRules rules;
  const auto few = static_cast<int>(rules.stuck_tasks);
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const TaskAwaits before = AwaitsIn(*Waiting(few, kBegin));
  Looked looked = Look(Waiting(few, kBegin + rules.stuck_ns), &before);
  const Model model;
  looked.reports.events = std::make_unique<EventReports>(model);
  const auto severity = [&](PoolReport::Verdict verdict, uint64_t blocked) {
    looked.reports.events->pool.verdict = verdict;
    looked.reports.heap->tasks.groups.at(0).blocked_threads = blocked;
    for (const Finding& finding : FindAll(looked.reports).findings) {
      if (finding.signal == Signal::kTasks) return finding.severity;
    }
    return Severity::kCritical;
  };
  EXPECT_EQ(severity(PoolReport::Verdict::kStarved, 0), Severity::kWarning);
  EXPECT_EQ(severity(PoolReport::Verdict::kStrained, 1), Severity::kWarning);
  EXPECT_EQ(severity(PoolReport::Verdict::kStarved, 1), Severity::kNote);
}

// How libraries wait for rare events.
TEST(OverviewOfAHeap, WhereNoMethodIsYoursTasksThatStandStillAreANote) {
  const OverviewRules rules;
  const auto model = [&](uint64_t unix_ns) {
    WaitScene scene;
    for (uint64_t i = 0; i < rules.stuck_tasks; ++i) {
      const ObjectId closed = scene.Promise();
      scene.heap().Static("System.Net.Lines", "s_" + std::to_string(i),
                          scene.CompletionSource(closed));
      scene.Async("System.Net.Line+<Watch>d__2", 0, closed, WaitScene::kNone, WaitScene::kNone,
                  static_cast<int64_t>(500 + i));
    }
    scene.heap().facts().unix_ns = unix_ns;
    scene.heap().facts().number = 1;
    return scene.Build();
  };
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const TaskAwaits before = AwaitsIn(*model(kBegin));
  const Overview found = Look(model(kBegin + rules.stuck_ns), &before).overview;
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].severity, Severity::kNote);
  EXPECT_EQ(found.findings[0].kind, "waiting-tasks");
}

// A grain that awaits another one that awaits it: the results are sources of a library. Those of
// the framework are how programs wait for input.
TEST(OverviewOfAHeap, CallsThroughALibraryThatNobodyAnswersAreANote) {
  const OverviewRules rules;
  const auto find = [&](const char* source, uint64_t count, uint64_t between_ns) {
    const auto model = [&](uint64_t unix_ns) {
      WaitScene scene;
      for (uint64_t i = 0; i < count; ++i) {
        scene.Async("Shop.Account+<Transfer>d__2", 0, scene.SourceTask(source), WaitScene::kNone,
                    WaitScene::kNone, static_cast<int64_t>(500 + i));
      }
      scene.heap().facts().unix_ns = unix_ns;
      scene.heap().facts().number = 1;
      return scene.Build();
    };
    constexpr uint64_t kBegin = 1'000'000'000'000;
    const TaskAwaits before = AwaitsIn(*model(kBegin));
    return Look(model(kBegin + between_ns), &before).overview.findings;
  };
  const char* const answer = "Grains.Runtime.ResponseSource";
  const std::vector<Finding> findings = find(answer, rules.stuck_tasks, rules.stuck_ns);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::kNote);
  EXPECT_EQ(findings[0].title,
            "10 async methods waiting in Shop.Account.Transfer, awaiting "
            "Grains.Runtime.ResponseSource");
  EXPECT_TRUE(find(answer, rules.stuck_tasks - 1, rules.stuck_ns).empty());
  EXPECT_TRUE(find(answer, rules.stuck_tasks, rules.stuck_ns - 1).empty());
  EXPECT_TRUE(
      find("System.Threading.Channels.AsyncOperation", rules.stuck_tasks, rules.stuck_ns).empty());
}

// `count` threads that each wait for an event in Shop.Tray.Serve; this many of them are pool
// workers.
std::unique_ptr<HeapModel> Crowd(uint64_t count, uint64_t workers, uint64_t idle_workers = 0,
                                 const char* place = "Shop.Tray.Serve") {
  WaitScene scene;
  const ObjectId tray = scene.Object("Shop.Tray");
  for (uint64_t i = 0; i < count + idle_workers; ++i) {
    testing::HeapThreadSpec thread;
    thread.os_id = static_cast<uint32_t>(100 + i);
    thread.clr_thread = 0x7000 + i;
    thread.managed_id = static_cast<uint32_t>(1 + i);
    thread.objects = {{.object = tray, .frame = 0}};
    thread.stack = {"System.Threading.WaitHandle.WaitOne"};
    if (i < count) thread.stack.push_back(place);
    if (i < workers || i >= count) {
      thread.stack.push_back("System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart");
    }
    scene.Thread(thread);
  }
  return scene.Build();
}

TEST(OverviewOfAHeap, ManyThreadsThatWaitInOnePlaceAreANote) {
  const OverviewRules rules;
  EXPECT_TRUE(Look(Crowd(rules.crowd_threads - 1, 0)).overview.findings.empty());
  const Looked looked = Look(Crowd(rules.crowd_threads, 0));
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].severity, Severity::kNote);
  EXPECT_EQ(looked.overview.findings[0].signal, Signal::kThreads);
  EXPECT_EQ(looked.overview.findings[0].title, "20 threads wait in Shop.Tray.Serve");
}

// Whom a method belongs to is determined by its assembly, and not by a prefix of its name.
TEST(OverviewOfAHeap, ACompanyThatIsCalledAsTheFrameworksHasPlacesOfItsOwn) {
  const OverviewRules rules;
  const Looked yours = Look(Crowd(rules.crowd_threads, 0, 0, "Microsoft.Shop.Tray.Serve"));
  ASSERT_EQ(yours.overview.findings.size(), 1u);
  EXPECT_EQ(yours.overview.findings[0].title, "20 threads wait in Microsoft.Shop.Tray.Serve");
  const char* const framework = "Microsoft.Extensions.Hosting.Host.Run";
  EXPECT_TRUE(Look(Crowd(rules.crowd_threads, 0, 0, framework)).overview.findings.empty());
}

TEST(OverviewOfAHeap, LocksAreNamedByTheFieldsThatKeepThem) {
  WaitScene scene;
  const ObjectId book = scene.Object("Shop.StockBook", {"gate_"});
  const ObjectId gate = scene.Object("System.Object"), other = scene.Object("System.Object");
  scene.heap().Refer(book, "gate_", gate);
  scene.heap().Static("Shop.Discounts", "s_gate", other);
  WaitForEachOther(scene, gate, other);
  const Looked looked = Look(scene.Build());
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].title,
            "Lock cycle of 2: monitor Shop.Discounts.s_gate and monitor Shop.StockBook.gate_");
  EXPECT_EQ(looked.overview.findings[0].subject, "Shop.Discounts.s_gate");
}

TEST(OverviewOfAHeap, WorkersThatBlockInOnePlaceAreAWarning) {
  const OverviewRules rules;
  const uint64_t few = rules.blocked_workers;
  EXPECT_TRUE(Look(Crowd(few - 1, few - 1)).overview.findings.empty());
  const Looked less = Look(Crowd(few, few, few + 1));  // than half
  ASSERT_EQ(less.overview.findings.size(), 1u);
  EXPECT_EQ(less.overview.findings[0].severity, Severity::kNote);
  const Looked looked = Look(Crowd(few, few, few));
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(looked.overview.findings[0].signal, Signal::kPool);
  EXPECT_EQ(looked.overview.findings[0].title,
            "8 of 16 workers of the thread pool block in Shop.Tray.Serve");
}

// `count` async methods that wait for one semaphore; the first `gone` of them have continued. If it
// is held, another one sleeps with it.
std::unique_ptr<HeapModel> Queueing(int count, int gone, uint64_t unix_ns, int64_t free = 0,
                                    int64_t limit = 1, bool is_held = false) {
  WaitScene scene;
  const ObjectId gate = scene.Semaphore(free, limit);
  scene.heap().Static("Shop.Client", "gate_", gate);
  std::vector<ObjectId> waits;
  for (int i = 0; i < count; ++i) waits.push_back(scene.SemaphoreWait(gate));
  for (int i = gone; i < count; ++i) {
    scene.Async("Shop.Client+<Enter>d__2", 0, waits[static_cast<size_t>(i)], WaitScene::kNone,
                WaitScene::kNone, 500 + i);
  }
  if (is_held) {
    scene.Async("Shop.Client+<Enter>d__2", 1, scene.Delay(), WaitScene::kNone, WaitScene::kNone,
                900);
  }
  scene.heap().facts().unix_ns = unix_ns;
  scene.heap().facts().number = 1;
  return scene.Build();
}

TEST(OverviewOfAHeap, AQueueThatMovesDoesNotStandStill) {
  const OverviewRules rules;
  const auto count = static_cast<int>(rules.stuck_tasks) + 1;
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const TaskAwaits before = AwaitsIn(*Queueing(count, 0, kBegin));
  const auto task_finding = [&](int gone) {
    const Looked looked = Look(Queueing(count, gone, kBegin + rules.stuck_ns), &before);
    for (const Finding& finding : looked.overview.findings) {
      if (finding.signal == Signal::kTasks) return finding;
    }
    return Finding();
  };
  EXPECT_EQ(task_finding(0).severity, Severity::kWarning);
  EXPECT_EQ(task_finding(0).kind, "stuck-tasks");
  EXPECT_EQ(task_finding(1).severity, Severity::kNote);
  EXPECT_NE(task_finding(1).title.find("a slowly moving queue"), std::string::npos);
  EXPECT_EQ(task_finding(2).kind, "");  // too few were there all the time
}

TEST(OverviewOfAHeap, AsyncMethodsThatWaitForOneLockAreANote) {
  const OverviewRules rules;
  const auto count = static_cast<int>(rules.queued_tasks);
  const auto queues = [](const Looked& looked) {
    std::vector<Finding> found;
    for (const Finding& finding : looked.overview.findings) {
      if (finding.kind == "queued-tasks") found.push_back(finding);
    }
    return found;
  };
  const auto look = [&](int waiters, int64_t free, int64_t limit, bool is_held = true) {
    return queues(Look(Queueing(waiters, 0, 1'000'000'000'000, free, limit, is_held)));
  };
  const std::vector<Finding> found = look(count, 0, 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].title,
            "4 async methods wait for one semaphore, Shop.Client.gate_, in Shop.Client.Enter");
  EXPECT_EQ(found[0].evidence,
            "It lets in one at a time. A single snapshot does not show how long they wait: take a "
            "second one.");
  EXPECT_TRUE(look(count - 1, 0, 1).empty());
  EXPECT_TRUE(look(count, 1, 1).empty());          // about to let one in
  EXPECT_TRUE(look(count, 0, 2).empty());          // a throttle
  EXPECT_TRUE(look(count, 0, INT32_MAX).empty());  // a signal: they may have nothing to do
  EXPECT_TRUE(look(count, 0, 1, false).empty());   // reported as never released
}

// A static list of 2,000 objects of 1,000 bytes, in a heap of 2 MB.
std::unique_ptr<HeapModel> Leaking() {
  HeapBuilder heap;
  const ClassIndex order = heap.Class("Shop.Order", {}, 1000);
  const TypeId list = heap.Type("System.Collections.Generic.List`1", {heap.Type("Shop.Order")});
  const ObjectId done = heap.Add(heap.Class(list, {"_items"}));
  const ObjectId items = heap.Add(heap.Array("Shop.Order"), 2000);
  heap.Refer(done, "_items", items);
  for (uint64_t i = 0; i < 2000; ++i) heap.Refer(items, i, heap.Add(order));
  heap.Static("Shop.Program", "done_", done);
  heap.facts().result = HeapFacts::Result::kComplete;
  return heap.Build();
}

TEST(OverviewOfAHeap, ALeakIsAWarningWithItsOwner) {
  const Looked looked = Look(Leaking());
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  const Finding& finding = looked.overview.findings[0];
  EXPECT_EQ(finding.severity, Severity::kWarning);
  EXPECT_EQ(finding.kind, "static-list");
  EXPECT_EQ(finding.subject, "Shop.Order");
  EXPECT_EQ(finding.command, "leaks");
  EXPECT_NE(finding.evidence.find("Shop.Program.done_"), std::string::npos) << finding.evidence;
  EXPECT_GT(finding.impact, 0.9);
}

// Workers that wait for one monitor, half of them in each of two methods; its owner runs, or calls
// `owner_call`.
Looked LookAtQueue(uint64_t waiters, uint64_t others = 0, const char* owner_call = nullptr) {
  WaitScene scene;
  const ObjectId gate = scene.Object("Shop.Gate");
  const auto worker = [&](uint32_t n, std::vector<std::string> inner, bool waits) {
    for (const char* const outer :
         {"System.Threading.ThreadPoolWorkQueue.Dispatch",
          "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"}) {
      inner.emplace_back(outer);
    }
    scene.Thread({.os_id = 10 + n,
                  .clr_thread = 0x7000 + n,
                  .managed_id = n,
                  .stack = std::move(inner),
                  .objects = {{.object = gate, .frame = 0}},
                  .waiting_monitor = waits ? gate : WaitScene::kNone});
  };
  for (uint32_t n = 1; n <= waiters; ++n) {
    worker(n, {"System.Threading.Monitor.Enter", n % 2 == 0 ? "Shop.Room.Touch" : "Shop.Room.Say"},
           true);
  }
  std::vector<std::string> owner = {"Shop.Room.Write"};
  if (owner_call != nullptr) owner.insert(owner.begin(), owner_call);
  worker(100, owner, false);
  for (uint32_t n = 1; n < others; ++n) worker(100 + n, {"Shop.Other.Work"}, false);
  scene.heap().Monitor({gate, 110, 100, 0, true});
  return Look(scene.Build());
}

TEST(OverviewOfAHeap, ThreadsThatWaitForOneLockAreOneQueue) {
  const OverviewRules rules;
  EXPECT_TRUE(LookAtQueue(rules.queued_threads - 1).overview.findings.empty());
  const Looked few = LookAtQueue(rules.queued_threads);
  ASSERT_EQ(few.overview.findings.size(), 1u);
  EXPECT_EQ(few.overview.findings[0].severity, Severity::kNote);
  ASSERT_EQ(rules.queued_threads, 4u);
  EXPECT_EQ(few.overview.findings[0].kind, "queue");
  EXPECT_EQ(few.overview.findings[0].title,
            "4 threads wait for one lock, the monitor Shop.Gate, in Shop.Room.Say");
  EXPECT_TRUE(few.overview.findings[0].evidence.starts_with("Its owner is in Shop.Room.Write. "))
      << few.overview.findings[0].evidence;
  const auto severity = [](const Looked& looked) {
    return looked.overview.findings.empty() ? Severity::kCritical
                                            : looked.overview.findings[0].severity;
  };
  EXPECT_EQ(severity(LookAtQueue(rules.blocked_workers - 1)), Severity::kNote);
  EXPECT_EQ(severity(LookAtQueue(rules.blocked_workers)), Severity::kWarning);
  // They are exactly half of all workers, or less.
  EXPECT_EQ(severity(LookAtQueue(rules.blocked_workers, rules.blocked_workers)),
            Severity::kWarning);
  EXPECT_EQ(severity(LookAtQueue(rules.blocked_workers, rules.blocked_workers + 1)),
            Severity::kNote);
}

TEST(OverviewOfAHeap, AShorterQueueIsANoteIfTheLocksOwnerSleeps) {
  const OverviewRules rules;
  const uint64_t few = rules.queued_behind_waiting;
  ASSERT_LT(few, rules.queued_threads);
  EXPECT_TRUE(LookAtQueue(few).overview.findings.empty());
  EXPECT_TRUE(LookAtQueue(few - 1, 0, "System.Threading.Thread.Sleep").overview.findings.empty());
  const Looked looked = LookAtQueue(few, 0, "System.Threading.Thread.Sleep");
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].title,
            "3 threads wait for one lock, the monitor Shop.Gate, in Shop.Room.Say");
  EXPECT_TRUE(
      looked.overview.findings[0].evidence.starts_with("Its owner sleeps in Shop.Room.Write. "))
      << looked.overview.findings[0].evidence;
}

}  // namespace
}  // namespace hindsight::analyzer
