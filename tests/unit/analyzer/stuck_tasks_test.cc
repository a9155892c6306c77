// Unfinished async work, grouped.
#include "analyzer/analyses/waits/stuck_tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/waits/tasks_report.h"
#include "tests/support/wait_scene.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::WaitScene;
using Awaits = TaskGroup::Awaits;

struct Found {
  TaskReport report;
  TaskAwaits thread_stacks;
};

Found Find(WaitScene& scene, const TaskAwaits* before = nullptr) {
  const std::unique_ptr<HeapModel> model = scene.Build();
  const RootPaths paths(model->graph);
  const SlotNames names(*model);
  const HeapWaits heap(*model, paths);
  return {FindTasks(heap, names, before), AwaitsOf(heap)};
}

TEST(StuckTasks, ChainsThatStandAtTheSamePlaceAreOneGroup) {
  WaitScene scene;
  const ObjectId pending = scene.heap().Add(scene.heap().Array("Shop.Pending"), 200);
  const ObjectId client = scene.heap().Add(scene.heap().Class("Shop.Client", {"pending_"}));
  scene.heap().Refer(client, "pending_", pending);
  scene.heap().Static("Shop.Program", "s_client", client);
  for (int i = 0; i < 200; ++i) {
    const ObjectId answer = scene.Promise("Shop.Reply");
    scene.heap().Refer(pending, uint64_t(i), scene.CompletionSource(answer, "Shop.Reply"));
    const ObjectId send = scene.Async("Shop.Client+<Send>d__1", 0, answer);
    scene.Async("Shop.Service+<Serve>d__2", 1, send, WaitScene::kNone, WaitScene::kNone, 500 + i);
  }
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 1u);
  const TaskGroup& group = report.groups[0];
  EXPECT_EQ(group.count, 200u);
  EXPECT_EQ(group.kind, Awaits::kPromise);
  EXPECT_EQ(group.awaits,
            "System.Threading.Tasks.TaskCompletionSource<Shop.Reply> that is not completed");
  EXPECT_EQ(group.place, "Shop.Client.Send");
  EXPECT_EQ(group.stack, std::vector<std::string>({"Shop.Client.Send", "Shop.Service.Serve"}));
  EXPECT_EQ(group.oldest, 500u);
  EXPECT_NE(group.holder.find("Shop.Client.pending_"), std::string::npos) << group.holder;
  EXPECT_NE(group.holder.find("static Shop.Program.s_client"), std::string::npos) << group.holder;
  EXPECT_EQ(report.chains, 200u);
}

// A heap that was walked in the pause has no values. What awaits and is awaited is unfinished all
// the same; what else is may be finished or not.
TEST(StuckTasks, ReferencesShowThemWithoutStates) {
  WaitScene scene(false);
  const ObjectId pending = scene.heap().Add(scene.heap().Array("Shop.Pending"), 20);
  const ObjectId client = scene.heap().Add(scene.heap().Class("Shop.Client", {"pending_"}));
  scene.heap().Refer(client, "pending_", pending);
  scene.heap().Static("Shop.Program", "s_client", client);
  for (int i = 0; i < 20; ++i) {
    const ObjectId answer = scene.Promise("Shop.Reply");
    scene.heap().Refer(pending, uint64_t(i), scene.CompletionSource(answer, "Shop.Reply"));
    const ObjectId send = scene.Async("Shop.Client+<Send>d__1", 0, answer);
    scene.Async("Shop.Service+<Serve>d__2", 1, send);
  }
  for (int i = 0; i < 5; ++i) scene.Promise("", WaitScene::kDone);
  // One that has completed has an object without a meaning instead of its continuations.
  const ObjectId done = scene.Promise("Shop.Reply", WaitScene::kDone);
  scene.heap().Refer(done, "m_continuationObject", scene.Object("System.Object"));
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 1u);
  const TaskGroup& group = report.groups[0];
  EXPECT_EQ(group.count, 20u);
  EXPECT_EQ(group.kind, Awaits::kPromise);
  EXPECT_EQ(group.stack, std::vector<std::string>({"Shop.Client.Send", "Shop.Service.Serve"}));
  EXPECT_NE(group.holder.find("Shop.Client.pending_"), std::string::npos) << group.holder;
  EXPECT_EQ(report.tasks, 66u);
  EXPECT_EQ(report.unfinished, 60u);
  EXPECT_EQ(report.unknown, 6u);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(report.notes[0].find("state of 6 tasks was not recorded"), std::string::npos);
}

// Whether a delegate runs, is queued or was never started is in a value.
TEST(StuckTasks, ADelegateWithoutAStateIsNotAccused) {
  WaitScene scene(false);
  scene.Async("Shop.Service+<Serve>d__2", 0, scene.Task(WaitScene::kRunning));
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].kind, Awaits::kDelegate);
  EXPECT_EQ(report.groups[0].awaits, "a task; whether it runs was not recorded");
}

TEST(StuckTasks, WithoutStatesTheReportGivesNoAllClear) {
  for (const bool has_values : {true, false}) {
    WaitScene scene(has_values);
    for (int i = 0; i < 5; ++i) scene.Promise("", WaitScene::kDone);
    const std::unique_ptr<HeapModel> model = scene.Build();
    const RootPaths paths(model->graph);
    const SlotNames names(*model);
    const HeapWaits heap(*model, paths);
    const TaskReport report = FindTasks(heap, names, nullptr);
    EXPECT_TRUE(report.groups.empty());
    const std::string text = TasksText(*model, report, 10, {});
    EXPECT_EQ(text.find("No async method is at an await.") != std::string::npos, has_values);
    EXPECT_EQ(text.find("at an await is unknown") != std::string::npos, !has_values) << text;
    EXPECT_EQ(heap.waits().counts.unknown_tasks, has_values ? 0u : 5u);
  }
}

// A method that cancels does not complete.
TEST(StuckTasks, WhatOnlyCancelsDoesNotHoldWhatTheyAwait) {
  for (const bool is_pending : {true, false}) {
    WaitScene scene;
    HeapBuilder& heap = scene.heap();
    const ClassIndex node =
        heap.Class("System.Threading.CancellationTokenSource+CallbackNode", {"CallbackState"});
    const ObjectId pending = heap.Add(heap.Array("Shop.Pending"), 3);
    const ObjectId client = heap.Add(heap.Class("Shop.Client", {"pending_"}));
    heap.Refer(client, "pending_", pending);
    heap.Static("Shop.Program", "s_client", client);
    for (uint64_t i = 0; i < 3; ++i) {
      const ObjectId answer = scene.Promise("Shop.Reply");
      const ObjectId source = scene.CompletionSource(answer, "Shop.Reply");
      if (is_pending) heap.Refer(pending, i, source);
      const ObjectId registration = heap.Add(node);
      heap.Refer(registration, "CallbackState", source);
      heap.Root(registration, RootKind::kStack, "Shop.Service.Wait");
      scene.Async("Shop.Client+<Send>d__1", 0, answer);
    }
    const TaskReport report = Find(scene).report;
    ASSERT_EQ(report.groups.size(), 1u);
    EXPECT_EQ(report.groups[0].holder.empty(), !is_pending) << report.groups[0].holder;
    EXPECT_EQ(report.groups[0].holder.find("CallbackNode"), std::string::npos);
  }
}

TEST(StuckTasks, OfALongWayToWhatTheyAwaitTheEndsAreReported) {
  for (const int layers : {5, 6}) {
    WaitScene scene;
    HeapBuilder& heap = scene.heap();
    ObjectId inner = heap.Add(heap.Class("Shop.Layer1", {"next_"}));
    const ObjectId answer = scene.Promise("Shop.Reply");
    heap.Refer(inner, "next_", scene.CompletionSource(answer, "Shop.Reply"));
    for (int i = 2; i <= layers; ++i) {
      const ObjectId outer = heap.Add(heap.Class("Shop.Layer" + std::to_string(i), {"next_"}));
      heap.Refer(outer, "next_", inner);
      inner = outer;
    }
    heap.Static("Shop.Program", "s_client", inner);
    scene.Async("Shop.Client+<Send>d__1", 0, answer);
    const TaskReport report = Find(scene).report;
    ASSERT_EQ(report.groups.size(), 1u);
    EXPECT_EQ(report.groups[0].holder,
              layers == 5 ? "static Shop.Program.s_client -> Shop.Layer5.next_ -> "
                            "Shop.Layer4.next_ -> Shop.Layer3.next_ -> Shop.Layer2.next_ -> "
                            "Shop.Layer1.next_"
                          : "static Shop.Program.s_client -> Shop.Layer6.next_ -> "
                            "Shop.Layer5.next_ -> (2 more) -> Shop.Layer2.next_ -> "
                            "Shop.Layer1.next_");
  }
}

// Six async methods at one await, with different callers, most with a framework method below.
TEST(StuckTasks, WhoeverCallsWhatStandsAtOnePlaceIsOneGroup) {
  WaitScene scene;
  const ObjectId pending = scene.heap().Add(scene.heap().Array("Shop.Pending"), 8);
  scene.heap().Static("Shop.Program", "s_pending", pending);
  for (int i = 0; i < 6; ++i) {
    const ObjectId answer = scene.Promise("Shop.Reply");
    scene.heap().Refer(pending, uint64_t(i), scene.CompletionSource(answer, "Shop.Reply"));
    const ObjectId read = i == 5 ? answer : scene.Async("System.IO.Pipe+<Read>d__9", 0, answer);
    const ObjectId send = scene.Async("Shop.Client+<Send>d__1", 0, read);
    const char* const caller = i < 3 ? "Shop.Sales+<Serve>d__2" : "Shop.Stock+<Serve>d__2";
    scene.Async(caller, 1, send, WaitScene::kNone, WaitScene::kNone, 500 + i);
  }
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].place, "Shop.Client.Send");
  EXPECT_EQ(report.groups[0].count, 6u);
  EXPECT_EQ(report.groups[0].stacks, 3u);
  EXPECT_EQ(report.groups[0].of_stack, 3u);
  EXPECT_EQ(
      report.groups[0].stack,
      std::vector<std::string>({"System.IO.Pipe.Read", "Shop.Client.Send", "Shop.Sales.Serve"}));
}

TEST(StuckTasks, OfSeveralKindsComeOldestFirst) {
  WaitScene scene;
  scene.Async("Shop.A+<Tick>d__1", 0, scene.Delay(), WaitScene::kNone, WaitScene::kNone, 30);
  const ObjectId gate = scene.Semaphore(0, 1);
  scene.Async("Shop.B+<Enter>d__1", 0, scene.SemaphoreWait(gate), WaitScene::kNone,
              WaitScene::kNone, 10);
  scene.Async("Shop.C+<Run>d__1", -1, WaitScene::kNone, WaitScene::kNone, WaitScene::kNone, 20);
  scene.Async("Shop.D+<Call>d__1", 0, scene.Task(WaitScene::kQueued));
  const ObjectId done = scene.Promise("", WaitScene::kDone);
  scene.Async("Shop.E+<Rest>d__1", 0, done);
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 5u);
  EXPECT_EQ(report.groups[0].kind, Awaits::kSemaphore);
  EXPECT_EQ(report.groups[0].awaits, "SemaphoreSlim.WaitAsync, count 0");
  EXPECT_EQ(report.groups[1].awaits, "nothing: it runs");
  EXPECT_EQ(report.groups[2].kind, Awaits::kTimer);
  std::vector<std::string> rest = {report.groups[3].awaits, report.groups[4].awaits};
  std::sort(rest.begin(), rest.end());
  EXPECT_EQ(rest[0], "a task waiting for a pool thread");
  EXPECT_EQ(rest[1], "its continuation to run, on a pool thread or in its context");
}

TEST(StuckTasks, WhatStoodThereBeforeHasMadeNoProgress) {
  const auto scene = [](uint32_t number, int64_t second_state) {
    auto out = std::make_unique<WaitScene>();
    out->heap().facts().number = number;
    out->heap().facts().unix_ns = number * 60'000'000'000;
    const auto add = [&](int64_t id, int64_t state) {
      const ObjectId promise = out->Promise();
      out->heap().Static("Shop.P", "s_" + std::to_string(id), out->CompletionSource(promise));
      out->Async("Shop.A+<Run>d__1", state, promise, WaitScene::kNone, WaitScene::kNone, id);
    };
    add(1, 0);
    add(2, second_state);
    return out;
  };
  const TaskAwaits before = Find(*scene(1, 0)).thread_stacks;
  const TaskReport report = Find(*scene(2, 4), &before).report;
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].count, 2u);
  EXPECT_EQ(report.groups[0].unchanged, 1u);
  EXPECT_EQ(report.groups[0].moved, 1u);
  EXPECT_EQ(report.before, 1u);
  EXPECT_EQ(report.between_ns, 60'000'000'000u);
}

// A compacting collection moves everything, also the loops that a server runs all its life.
TEST(StuckTasks, WhatWasMovedCannotBeCompared) {
  const auto scene = [](uint32_t number, bool stays, bool is_moved) {
    auto out = std::make_unique<WaitScene>();
    out->heap().facts().number = number;
    const auto add = [&](const std::string& method) {
      out->Async("Shop.A+<" + method + ">d__1", 0,
                 out->Object("Shop.Socket", {"m_continuationObject"}));
    };
    if (stays) add("Listen");
    if (is_moved) out->Object("Shop.Other");
    for (int i = 0; i < 4; ++i) add("Run");
    return out;
  };
  for (const bool stays : {true, false}) {
    const TaskAwaits before = Find(*scene(1, stays, false)).thread_stacks;
    const TaskReport moved = Find(*scene(2, stays, true), &before).report;
    EXPECT_EQ(moved.before, stays ? 1u : 0u);
    EXPECT_EQ(moved.notes.size(), stays ? 0u : 1u);
    const TaskReport same = Find(*scene(2, stays, false), &before).report;
    EXPECT_EQ(same.before, 1u);
    EXPECT_EQ(same.groups.front().unchanged, same.groups.front().count);
  }
}

// WaitAsync with a CancellationToken.
TEST(StuckTasks, AWaitForASemaphoreThatCanBeCancelledIsOne) {
  WaitScene scene;
  const ObjectId gate = scene.Semaphore(0, 1);
  scene.heap().Static("Shop.Tokens", "gate_", gate);
  scene.Async("Shop.Tokens+<Get>d__1", 0, scene.WaitAsync(scene.SemaphoreWait(gate)));
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].kind, Awaits::kSemaphore);
  EXPECT_TRUE(report.groups[0].awaits_lock);
  EXPECT_EQ(report.groups[0].holder, "static Shop.Tokens.gate_");
}

// A connection reads and writes, and waits in Task.WhenAny for both all its life.
TEST(StuckTasks, TasksThatEndByThemselvesNeedNobodyToCompleteThem) {
  const auto kind_of = [](const auto& make_awaited) {
    WaitScene scene;
    const ObjectId awaited = make_awaited(scene);
    scene.Async("Shop.Line+<Serve>d__1", 0, awaited);
    const TaskReport report = Find(scene).report;
    for (const TaskGroup& group : report.groups) {
      if (group.place == "Shop.Line.Serve") return group.kind;
    }
    return Awaits::kUnknown;
  };
  const auto reads = [](WaitScene& scene) {
    return scene.Async("Shop.Line+<Read>d__2", 0,
                       scene.Object("Shop.Socket", {"m_continuationObject"}));
  };
  const auto writes = [](WaitScene& scene) {
    return scene.Async("Shop.Line+<Write>d__3", 0, scene.Promise());
  };
  EXPECT_EQ(kind_of([&](auto& scene) {
              return scene.WhenAny({reads(scene), writes(scene)});
            }),
            Awaits::kSource);
  EXPECT_EQ(kind_of([&](auto& scene) {
              return scene.WhenAny({scene.Delay(), scene.Promise()});
            }),
            Awaits::kSource);
  EXPECT_EQ(kind_of([&](auto& scene) {
              return scene.WhenAny({writes(scene), scene.Promise()});
            }),
            Awaits::kTasks);
  EXPECT_EQ(kind_of([&](auto& scene) {
              return scene.WhenAll({reads(scene), scene.Delay()});
            }),
            Awaits::kSource);
  EXPECT_EQ(kind_of([&](auto& scene) {
              return scene.WhenAll({reads(scene), writes(scene)});
            }),
            Awaits::kTasks);
}

// Microsoft's packages are libraries as well: the name alone does not show whom a source belongs
// to.
TEST(StuckTasks, TheFrameworksSourcesAreNoCallsThroughALibrary) {
  const auto is_librarys = [](std::string_view source) {
    WaitScene scene;
    scene.Async("Shop.Client+<Send>d__1", 0, scene.SourceTask(source));
    const TaskReport report = Find(scene).report;
    return report.groups.size() == 1 && report.groups[0].kind == Awaits::kSource &&
           report.groups[0].is_library_source;
  };
  EXPECT_FALSE(is_librarys("System.Net.Sockets.Socket+AwaitableSocketAsyncEventArgs"));
  EXPECT_FALSE(is_librarys("Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http2.Reply"));
  EXPECT_TRUE(is_librarys("Microsoft.Data.SqlClient.Reply"));
  EXPECT_TRUE(is_librarys("Orleans.Runtime.Reply"));
}

// An address is reused: an object that is as young as before has replaced another one.
TEST(StuckTasks, AnAddressAloneIsNoChain) {
  const auto at = [](Generation generation) {
    return TaskAwaits::Await{.method = 1, .state = 2, .awaited = 3, .generation = generation};
  };
  using enum Generation;
  EXPECT_TRUE(IsSameChain(at(kGen1), at(kGen2), true));
  EXPECT_TRUE(IsSameChain(at(kGen2), at(kGen2), true));
  EXPECT_TRUE(IsSameChain(at(kUnknown), at(kUnknown), true));
  EXPECT_FALSE(IsSameChain(at(kGen1), at(kGen1), true));
  EXPECT_TRUE(IsSameChain(at(kGen1), at(kGen1), false));
  EXPECT_FALSE(IsSameChain(at(kGen2), at(kGen1), false));
  TaskAwaits::Await other = at(kGen2);
  other.awaited = 4;
  EXPECT_FALSE(IsSameChain(at(kGen2), other, false));
}

TEST(StuckTasks, WhatOnlyAThreadWaitsForIsReportedWithTheThread) {
  WaitScene scene;
  const ObjectId answer = scene.Promise("Shop.Reply");
  scene.heap().Static("Shop.Client", "s_answer", scene.CompletionSource(answer, "Shop.Reply"));
  scene.heap().Root(scene.WaitEvent(answer));
  scene.Task(WaitScene::kRunning, 4);
  const TaskReport report = Find(scene).report;
  ASSERT_EQ(report.groups.size(), 2u);
  EXPECT_EQ(report.groups[0].awaits, "a running task");
  EXPECT_EQ(report.groups[0].oldest, 4u);
  EXPECT_EQ(report.groups[1].kind, Awaits::kPromise);
  EXPECT_EQ(report.groups[1].blocked_threads, 1u);
  EXPECT_TRUE(report.groups[1].stack.empty());
  EXPECT_NE(report.groups[1].holder.find("s_answer"), std::string::npos);
  EXPECT_EQ(report.chains, 0u);
}

// Main waits for all of them at once.
TEST(StuckTasks, AThreadThatWaitsForManyChainsIsOne) {
  const auto blocked = [](int threads) {
    WaitScene scene;
    const ObjectId first = scene.Async("Shop.Client+<Send>d__1", 0, scene.Promise("Shop.Reply"));
    const ObjectId second = scene.Async("Shop.Client+<Send>d__1", 0, scene.Promise("Shop.Reply"));
    const ObjectId main = scene.Async("Shop.Program+<Main>d__0", 0, scene.WhenAll({first, second}));
    for (int i = 0; i < threads; ++i) scene.heap().Root(scene.WaitEvent(main));
    const TaskReport report = Find(scene).report;
    EXPECT_EQ(report.groups.at(0).count, 2u);
    return report.groups.at(0).blocked_threads;
  };
  EXPECT_EQ(blocked(1), 1u);
  EXPECT_EQ(blocked(2), 2u);
}

TEST(StuckTasks, FinishedOnesAndGarbageAreLeftOut) {
  WaitScene scene;
  scene.Promise("", WaitScene::kDone);
  const TaskReport report = Find(scene).report;
  EXPECT_TRUE(report.groups.empty());
  EXPECT_EQ(report.tasks, 1u);
  EXPECT_EQ(report.unfinished, 0u);
}

}  // namespace
}  // namespace hindsight::analyzer
