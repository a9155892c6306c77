// What is found in a heap snapshot, and from which amount on.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/wait_scene.h"
#include "tests/unit/analyzer/memory_cache_heap.h"
#include "tests/unit/analyzer/overview_heap_test.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::WaitScene;
using State = Coverage::State;

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

// A MemoryCache looks for expired entries once a minute.
TEST(OverviewOfAHeap, EntriesThatExpireAreALeakOnlyBySnapshotsThatAreFarApart) {
  for (const bool expire : {false, true}) {
    HeapBuilder heap;
    AddMemoryCache(heap, 2000, expire ? 2000 : 0);
    Looked looked = Look(heap.Build());
    const auto found_in = [&](uint64_t series_ns) -> const Finding& {
      looked.reports.heap->leaks.series_ns = series_ns;
      looked.overview = FindAll(looked.reports);
      return looked.overview.findings.at(0);
    };
    EXPECT_EQ(found_in(60'000'000'000).severity, Severity::kWarning);
    const Finding& early = found_in(59'999'999'999);
    EXPECT_EQ(early.kind, "cache");
    EXPECT_EQ(early.severity, expire ? Severity::kNote : Severity::kWarning);
    EXPECT_EQ(early.is_doubt, expire);
    EXPECT_EQ(early.evidence.starts_with("2,000 of 2,000 entries expire, but "), expire);
  }
}

// A loop of yours for each of many: its calls say more than the timers for which they wait.
TEST(OverviewOfAHeap, DelaysThatALoopOfYoursAwaitsAreItsCalls) {
  WaitScene scene;
  scene.Drop();  // all that follows is held by timers alone
  const ClassIndex timer =
      scene.heap().Class("System.Threading.TimerQueueTimer", {"_next", "_state"}, 1000);
  ObjectId before = kNoObject;
  for (int i = 0; i < 2000; ++i) {
    const ObjectId delay = scene.Delay(), one = scene.heap().Add(timer);
    scene.heap().Refer(one, "_state", delay);
    scene.Async("Shop.Refresher+<Loop>d__1", 0, delay);
    if (before == kNoObject) {
      scene.heap().Static("System.Threading.TimerQueue", "first_", one);
    } else {
      scene.heap().Refer(before, "_next", one);
    }
    before = one;
  }
  scene.heap().facts().number = 1;
  const Looked looked = Look(scene.Build());
  const auto found = std::ranges::find(looked.overview.findings, "timeouts", &Finding::kind);
  ASSERT_NE(found, looked.overview.findings.end());
  EXPECT_EQ(found->subject, "Shop.Refresher.Loop");
  EXPECT_TRUE(found->title.starts_with(
      "Large: 2,000 calls of async Shop.Refresher.Loop that await a timer,"))
      << found->title;
  EXPECT_EQ(found->command, "tasks");
}

// It may have been disposed.
TEST(OverviewOfAHeap, GarbageWithFinalizersIsANoteFromANumberOn) {
  const OverviewRules rules;
  const auto is_found = [](const char* type, uint64_t count, bool has_finalizer) {
    HeapBuilder heap;
    heap.facts().number = 1;
    const ClassIndex bitmap = heap.Class(type);
    heap.Edit(bitmap).finalizable = has_finalizer;
    if (type == std::string_view("Shop.Handle")) {
      heap.Edit(bitmap).base = heap.Class("System.Runtime.InteropServices.SafeHandle");
    }
    for (uint64_t i = 0; i < count; ++i) heap.Add(bitmap);
    const Looked looked = Look(heap.Build());
    const auto found =
        std::ranges::find(looked.overview.findings, "finalizable-garbage", &Finding::kind);
    return found != looked.overview.findings.end() && !found->is_doubt && found->subject == type;
  };
  EXPECT_TRUE(is_found("Shop.Bitmap", rules.finalizable_garbage, true));
  EXPECT_FALSE(is_found("Shop.Bitmap", rules.finalizable_garbage - 1, true));
  EXPECT_FALSE(is_found("Shop.Bitmap", rules.finalizable_garbage, false));
  EXPECT_FALSE(is_found("System.IO.FileStream", rules.finalizable_garbage, true));
  EXPECT_FALSE(is_found("Shop.Handle", rules.finalizable_garbage, true));  // of what has it
}

TEST(OverviewOfAHeap, ASnapshotThatBreaksOffIsSeenInPart) {
  HeapBuilder heap;
  heap.facts().result = HeapFacts::Result::kChildDied;
  EXPECT_EQ(Look(heap.Build()).Of(Signal::kHeap).state, State::kPartly);
}

// Two threads: each has one of the monitors and waits for the other one.
void WaitForEachOther(WaitScene& scene, ObjectId first, ObjectId second,
                      const std::string& call = "System.Threading.Monitor.Enter") {
  scene.heap().Monitor({first, 11, 1, 0, true});
  scene.heap().Monitor({second, 12, 2, 0, true});
  const auto thread = [&](uint32_t n, ObjectId wanted) {
    scene.Thread({.os_id = 10 + n,
                  .clr_thread = 0x7000 + n,
                  .managed_id = n,
                  .stack = {call, "Shop.Bank.Book"},
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

TEST(OverviewOfAHeap, ACycleOfLocksThatTimesOutIsAWarning) {
  WaitScene scene;
  const ObjectId account = scene.Object("Shop.Account"), ledger = scene.Object("Shop.Ledger");
  WaitForEachOther(scene, account, ledger, "System.Threading.Monitor.TryEnter_Slowpath");
  const Looked looked = Look(scene.Build());
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].severity, Severity::kWarning);
  EXPECT_TRUE(looked.overview.findings[0].evidence.ends_with("and may come again."))
      << looked.overview.findings[0].evidence;
}

TEST(OverviewOfAHeap, WhatTheFinalizerThreadDoesIsReportedWithItsQueue) {
  const auto evidence = [](const std::string& method) {
    WaitScene scene;
    const HeapBuilder::ClassIndex file = scene.heap().Class("Shop.TempFile", {}, 2000);
    for (int i = 0; i < 2000; ++i) {
      scene.heap().Root(scene.heap().Add(file), RootKind::kFinalizerQueue);
    }
    scene.Thread({.os_id = 11,
                  .name = ".NET Finalizer",
                  .clr_thread = 0x7001,
                  .managed_id = 2,
                  .stack = {"System.Threading.Thread.Sleep", method}});
    return Look(scene.Build()).overview.findings.at(0).evidence;
  };
  const std::string text = evidence("Shop.TempFile.Finalize");
  EXPECT_NE(text.find(". The finalizer thread is in Shop.TempFile.Finalize"), std::string::npos)
      << text;
  EXPECT_EQ(evidence("System.GC.RunFinalizers").find("thread is in"), std::string::npos);
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

// Workers with work, of which `blocked` wait in Shop.Mail.Send, and work items in the pool's queue.
Looked LookAtQueuedWork(uint32_t workers, uint32_t blocked, uint64_t queued) {
  WaitScene scene;
  const ObjectId letter = scene.Object("Shop.Letter");
  for (uint32_t n = 1; n <= workers; ++n) {
    testing::HeapThreadSpec thread{.os_id = 10 + n, .clr_thread = 0x7000 + n, .managed_id = n};
    thread.objects = {{.object = letter, .frame = 0}};
    thread.stack = {"Shop.Mail.Send", "System.Threading.ThreadPoolWorkQueue.Dispatch",
                    "System.Threading.PortableThreadPool+WorkerThread.WorkerThreadStart"};
    if (n <= blocked) thread.stack.insert(thread.stack.begin(), "System.Threading.Thread.Sleep");
    scene.Thread(thread);
  }
  // Tasks, and work of other kinds.
  for (uint64_t i = 0; i < queued; ++i) {
    scene.Queue(i % 2 == 0 ? scene.Task(WaitScene::kQueued)
                           : scene.Object(i % 4 == 1 ? "System.Threading.QueueUserWorkItemCallback"
                                                     : "Kestrel.Connection"));
  }
  return Look(scene.Build());
}

TEST(OverviewOfAHeap, QueuedWorkIsAWarningIfTheFewWorkersBlock) {
  const OverviewRules rules;
  const auto queued = static_cast<uint32_t>(rules.queued_work);
  const Looked looked = LookAtQueuedWork(5, 3, queued);
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  EXPECT_EQ(looked.overview.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(looked.overview.findings[0].title,
            "20 work items wait for a worker of the thread pool; 3 of 5 block in Shop.Mail.Send");
  const auto blocked = static_cast<uint32_t>(rules.blocked_before_queue);
  EXPECT_EQ(LookAtQueuedWork(blocked, blocked, queued).overview.findings.size(), 1u);
  EXPECT_TRUE(LookAtQueuedWork(blocked, blocked - 1, queued).overview.findings.empty());
  EXPECT_TRUE(LookAtQueuedWork(5, 3, queued - 1).overview.findings.empty());
  EXPECT_TRUE(LookAtQueuedWork(7, 3, queued).overview.findings.empty()) << "less than half";
  EXPECT_EQ(LookAtQueuedWork(queued, queued, queued).overview.findings[0].title.find("20 work"),
            0u);
  EXPECT_EQ(LookAtQueuedWork(queued + 1, queued + 1, queued).overview.findings[0].title,
            "21 of 21 workers of the thread pool block in Shop.Mail.Send");
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

TEST(OverviewOfAHeap, HandlersOfHttpClientsThatAreGoneAreReported) {
  const OverviewRules rules;
  const auto look = [](uint64_t handlers, uint64_t clients) {
    HeapBuilder heap;
    heap.facts().result = HeapFacts::Result::kComplete;
    const ClassIndex handler = heap.Class("System.Net.Http.SocketsHttpHandler");
    const ClassIndex invoker = heap.Class("System.Net.Http.HttpMessageInvoker");
    const ClassIndex client = heap.Class("Shop.StockClient");
    heap.Edit(client).base = invoker;
    for (uint64_t i = 0; i < handlers; ++i) heap.Root(heap.Add(handler));
    for (uint64_t i = 0; i < clients; ++i) heap.Root(heap.Add(client));
    for (uint64_t i = 0; i < 100; ++i) heap.Add(handler);  // garbage
    return Look(heap.Build());
  };
  const uint64_t many = rules.unused_http_handlers;
  EXPECT_TRUE(look(many - 1, 0).overview.is_healthy());
  EXPECT_TRUE(look(many, 1).overview.is_healthy());  // they are in use
  EXPECT_TRUE(look(many + 20, many + 20).overview.is_healthy());
  const Looked gone = look(many + 3, 3);
  ASSERT_EQ(gone.overview.findings.size(), 1u);
  EXPECT_EQ(gone.overview.findings[0].kind, "http-clients");
  EXPECT_EQ(gone.overview.findings[0].title,
            "53 HttpClient handlers with connections of their own, but only 3 clients");
  EXPECT_EQ(gone.Of(Signal::kHeap).state, State::kFound);
}

}  // namespace
}  // namespace hindsight::analyzer
