// Requests of a heap snapshot that cannot end, and a host that does not.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/wait_scene.h"
#include "tests/unit/analyzer/overview_heap_test.h"

namespace hindsight::analyzer {
namespace {

using testing::HeapBuilder;
using testing::WaitScene;

// A hosted service whose StopAsync does not end keeps the process.
TEST(OverviewOfAHeap, WhatTheEndOfTheHostWaitsForIsReported) {
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto scene = [](uint64_t unix_ns) {
    WaitScene out;
    const ObjectId drained = out.Promise();
    out.heap().Static("Shop.Outbox", "drained_", out.CompletionSource(drained));
    const ObjectId stop =
        out.Async("Microsoft.Extensions.Hosting.BackgroundService+<StopAsync>d__8", 0, drained,
                  WaitScene::kNone, out.Object("Shop.Outbox"), 500);
    out.Async("Microsoft.Extensions.Hosting.Internal.Host+<StopAsync>d__19", 0, stop);
    out.heap().facts().unix_ns = unix_ns;
    out.heap().facts().number = 1;
    return out.Build();
  };
  const auto find = [](const Looked& looked) {
    std::vector<Finding> found = looked.overview.findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "slow-shutdown"; });
    return found;
  };
  const std::vector<Finding> once = find(Look(scene(kBegin)));
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(once[0].severity, Severity::kNote);
  EXPECT_EQ(once[0].title, "The host is stopping, and waits for Shop.Outbox");
  const TaskAwaits before = AwaitsIn(*scene(kBegin));
  const Looked twice = Look(scene(kBegin + OverviewRules{}.stuck_ns), &before);
  ASSERT_EQ(find(twice).size(), 1u);
  EXPECT_EQ(find(twice)[0].severity, Severity::kWarning);
}

// Its StopAsync awaits its ExecuteAsync, which works off what is left.
TEST(OverviewOfAHeap, WhatABackgroundServiceAwaitsTellsWhetherTheHostGetsOn) {
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto scene = [](uint64_t unix_ns, int64_t state) {
    WaitScene out;
    const ObjectId outbox = out.Object("Shop.Outbox");
    const ObjectId more = out.Promise();
    out.heap().Static("Shop.Outbox", "more_", out.CompletionSource(more));
    const ObjectId execute =
        out.Async("Shop.Outbox+<ExecuteAsync>d__1", state, more, WaitScene::kNone, outbox, 400);
    const ObjectId ended = out.Promise();
    out.heap().Static("Shop.Outbox", "ended_", out.CompletionSource(ended));
    out.heap().Static("Shop.Outbox", "execute_", execute);
    const ObjectId stop =
        out.Async("Microsoft.Extensions.Hosting.BackgroundService+<StopAsync>d__8", 0, ended,
                  WaitScene::kNone, outbox, 500);
    out.Async("Microsoft.Extensions.Hosting.Internal.Host+<StopAsync>d__19", 0, stop);
    out.heap().facts().unix_ns = unix_ns;
    out.heap().facts().number = 1;
    return out.Build();
  };
  const TaskAwaits before = AwaitsIn(*scene(kBegin, 0));
  const auto find = [&](int64_t state) {
    std::vector<Finding> found =
        Look(scene(kBegin + OverviewRules{}.stuck_ns, state), &before).overview.findings;
    std::erase_if(found, [](const Finding& other) { return other.kind != "slow-shutdown"; });
    return found.at(0);
  };
  const Finding stands = find(0);
  EXPECT_EQ(stands.severity, Severity::kWarning);
  EXPECT_TRUE(stands.evidence.find(" in Shop.Outbox.ExecuteAsync, ") != std::string::npos)
      << stands.evidence;
  EXPECT_EQ(find(1).severity, Severity::kNote);
}

// `count` requests of a server whose handlers await a promise that was dropped.
std::unique_ptr<HeapModel> WithLost(int count, std::string_view server) {
  WaitScene scene;
  scene.Drop();
  for (int i = 0; i < count; ++i) {
    const ObjectId answer = scene.Promise("Shop.Reply");
    const ObjectId handler = scene.Async("Shop.Api+<Get>d__1", 0, answer);
    scene.Async(server, 1, handler);
  }
  scene.Async("Shop.Api+<Get>d__1", -2, WaitScene::kNone);  // one that has completed
  return scene.Build();
}

TEST(OverviewOfAHeap, RequestsThatNothingCanCompleteAreReported) {
  constexpr std::string_view kServer =
      "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol+<ProcessRequests>d__238";
  const auto many = static_cast<int>(OverviewRules{}.lost_requests);
  EXPECT_TRUE(Look(WithLost(many - 1, kServer)).overview.findings.empty());
  const Looked looked = Look(WithLost(many, kServer));
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  const Finding& lost = looked.overview.findings[0];
  EXPECT_EQ(lost.kind, "lost-requests");
  EXPECT_EQ(lost.severity, Severity::kWarning);
  EXPECT_EQ(lost.title, std::to_string(many) + " requests in Shop.Api.Get can never complete");
  // Whatever else is dropped may be meant to be.
  EXPECT_TRUE(Look(WithLost(many, "Shop.Worker+<Run>d__2")).overview.findings.empty());
}

// A background service, or an object of another class, whose task has not been set.
ObjectId AddService(WaitScene& scene, bool is_service = true) {
  HeapBuilder& heap = scene.heap();
  const ClassIndex base = heap.Class("Microsoft.Extensions.Hosting.BackgroundService");
  const ClassIndex type = heap.Class("Shop.Importer", {"_executeTask"});
  if (is_service) heap.Edit(type).base = base;
  const ObjectId service = heap.Add(type);
  heap.Static("Shop.Program", "service_", service);
  return service;
}

// A background service whose ExecuteAsync has ended with these flags.
std::vector<Finding> EndedWith(int64_t flags, bool is_stopping = false) {
  WaitScene scene;
  const ObjectId service = AddService(scene);
  scene.heap().Refer(service, "_executeTask", scene.Promise("", flags));
  if (is_stopping) {
    scene.Async("Microsoft.Extensions.Hosting.Internal.Host+<StopAsync>d__19", 0, scene.Promise());
  }
  std::vector<Finding> found = Look(scene.Build()).overview.findings;
  std::erase_if(found, [](const Finding& one) { return one.kind != "ended-service"; });
  return found;
}

TEST(OverviewOfAHeap, ABackgroundServiceThatHasEndedIsReported) {
  constexpr int64_t kFaulted = 0x200000;
  const std::vector<Finding> failed = EndedWith(kFaulted);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].severity, Severity::kWarning);
  EXPECT_EQ(failed[0].title, "An exception has ended the background service Shop.Importer");
  const std::vector<Finding> returned = EndedWith(WaitScene::kDone);
  ASSERT_EQ(returned.size(), 1u);
  EXPECT_EQ(returned[0].severity, Severity::kNote);
  EXPECT_EQ(returned[0].title, "The background service Shop.Importer has ended");
  EXPECT_TRUE(EndedWith(WaitScene::kPromise).empty());
  EXPECT_TRUE(EndedWith(kFaulted, true).empty());  // as it should
}

enum class Holder : uint8_t { kNone, kSource, kList, kRoot };

// A background service whose ExecuteAsync awaits a promise.
std::unique_ptr<HeapModel> WithService(Holder holder, bool is_service = true) {
  WaitScene scene;
  const ObjectId service = AddService(scene, is_service);
  const ObjectId list = scene.Object("Shop.Replies", {"first_"});
  scene.Drop();
  const ObjectId ready = scene.Promise();
  const ObjectId execute =
      scene.Async("Shop.Importer+<ExecuteAsync>d__1", 0, ready, WaitScene::kNone, service);
  scene.heap().Refer(service, "_executeTask", execute);
  if (holder == Holder::kSource) {
    scene.heap().Static("Shop.Program", "ready_", scene.CompletionSource(ready));
  } else if (holder == Holder::kList) {
    scene.heap().Refer(list, "first_", ready);
  } else if (holder == Holder::kRoot) {
    scene.heap().Static("Shop.Program", "task_", ready);
  }
  return scene.Build();
}

TEST(OverviewOfAHeap, AServiceThatWaitsForWhatNothingCanCompleteMayBeDead) {
  const Looked looked = Look(WithService(Holder::kNone));
  ASSERT_EQ(looked.overview.findings.size(), 1u);
  const Finding& finding = looked.overview.findings[0];
  EXPECT_EQ(finding.kind, "orphaned-wait");
  EXPECT_TRUE(finding.is_doubt);
  EXPECT_EQ(finding.title,
            "The background service Shop.Importer waits for a task that nothing can complete");
  for (const Holder holder : {Holder::kSource, Holder::kList, Holder::kRoot}) {
    EXPECT_TRUE(Look(WithService(holder)).overview.findings.empty());
  }
  const Looked called = Look(WithService(Holder::kNone, false));
  ASSERT_EQ(called.overview.findings.size(), 1u);
  EXPECT_EQ(called.overview.findings[0].title,
            "1 call of Shop.Importer.ExecuteAsync waits for a task that nothing can complete");
}

// What is reported of methods that wait in vain, in a heap whose only root is a static field. `add`
// returns what it holds.
std::vector<Finding> InVain(const std::function<ObjectId(WaitScene&)>& add) {
  WaitScene scene;
  scene.Drop();
  scene.heap().Static("Shop.Program", "main_", add(scene));
  std::vector<Finding> found = Look(scene.Build()).overview.findings;
  std::erase_if(found, [](const Finding& one) { return one.kind != "orphaned-wait"; });
  return found;
}

constexpr std::string_view kRun = "Shop.Program+<Run>d__0", kPay = "Shop.Cart+<Pay>d__0";

TEST(OverviewOfAHeap, AThreadThatWaitsForWhatIsNoLongerAliveIsReported) {
  const std::vector<Finding> found = InVain([](WaitScene& scene) {
    const ObjectId run = scene.Async(kRun, 0, scene.WhenAll({}));
    scene.WaitEvent(run);
    return run;
  });
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title, "1 call of Shop.Program.Run waits for tasks that nothing can complete");
  EXPECT_TRUE(found[0].evidence.ends_with("A thread blocks until it is done."));
  EXPECT_TRUE(InVain([](WaitScene& scene) {
                const ObjectId delay = scene.Delay();
                scene.heap().Static("System.Threading.TimerQueue", "timers_", delay);
                return scene.Async(kRun, 0, scene.WhenAll({delay}));
              }).empty());
}

// It is in a list of the method that awaits it; whoever else has the list may start it.
TEST(OverviewOfAHeap, ATaskThatNobodyStartsIsReported) {
  const auto found = [](bool has_other) {
    return InVain([has_other](WaitScene& scene) {
      const ObjectId jobs = scene.Object("Shop.Jobs", {"first_"});
      const ObjectId task = scene.TaskOf("Shop.Report", 0);
      scene.heap().Refer(jobs, "first_", task);
      if (has_other) scene.heap().Static("Shop.Program", "jobs_", jobs);
      return scene.Async(kRun, 0, task, WaitScene::kNone, jobs);
    });
  };
  ASSERT_EQ(found(false).size(), 1u);
  EXPECT_EQ(found(false)[0].severity, Severity::kWarning);
  EXPECT_EQ(found(false)[0].title,
            "1 call of Shop.Program.Run waits for a task that was never started");
  EXPECT_TRUE(found(true).empty());
}

// What waits in a deadlock that is reported is not reported again.
TEST(OverviewOfAHeap, ASemaphoreThatItsHolderEntersAgainIsReportedOnce) {
  const auto look = [](bool has_other) {
    WaitScene scene;
    scene.Drop();
    const ObjectId tokens = scene.Object("Shop.Tokens", {"gate_"});
    const ObjectId gate = scene.Semaphore(0, 1);
    scene.heap().Refer(tokens, "gate_", gate);
    if (has_other) scene.heap().Static("Shop.Program", "tokens_", tokens);
    const ObjectId inner =
        scene.Async(kPay, 0, scene.SemaphoreWait(gate), WaitScene::kNone, tokens);
    scene.heap().Static("Shop.Program", "main_",
                        scene.Async(kRun, 0, inner, WaitScene::kNone, tokens));
    return Look(scene.Build());
  };
  const Looked alone = look(false);
  ASSERT_EQ(alone.reports.heap->tasks.orphaned.size(), 1u);
  EXPECT_EQ(alone.reports.heap->tasks.orphaned[0].what, OrphanedWait::For::kSemaphore);
  EXPECT_EQ(alone.reports.heap->tasks.orphaned[0].place, "Shop.Cart.Pay");
  ASSERT_EQ(alone.overview.findings.size(), 1u);
  EXPECT_EQ(alone.overview.findings[0].kind, "never-released");
  EXPECT_TRUE(look(true).reports.heap->tasks.orphaned.empty());
}

// As a Main does that is to wait for ever; not one of the methods that it calls.
TEST(OverviewOfAHeap, AMainMayWaitForAPromiseForEver) {
  const auto found = [](bool is_called) {
    return InVain([is_called](WaitScene& scene) {
      ObjectId run = scene.Async(is_called ? kPay : kRun, 0, scene.Promise());
      if (is_called) run = scene.Async(kRun, 0, run);
      scene.WaitEvent(run);
      return run;
    });
  };
  EXPECT_TRUE(found(false).empty());
  ASSERT_EQ(found(true).size(), 1u);
  EXPECT_TRUE(found(true)[0].is_doubt);
}

// The outer method goes on as soon as one of both has completed.
TEST(OverviewOfAHeap, WhatAwaitsTheFirstOfSeveralMayGoOn) {
  const auto found = [](bool any) {
    return InVain([any](WaitScene& scene) {
      const ObjectId cart = scene.Object("Shop.Cart", {"paid_"});
      const ObjectId paid = scene.Promise();
      scene.heap().Refer(cart, "paid_", paid);
      const ObjectId inner = scene.Async(kPay, 0, paid);
      const ObjectId delay = scene.Delay();
      scene.heap().Static("System.Threading.TimerQueue", "timers_", delay);
      return scene.Async(kRun, 0, any ? scene.WhenAny({inner, delay}) : inner, WaitScene::kNone,
                         cart);
    });
  };
  EXPECT_EQ(found(false).size(), 1u);
  EXPECT_TRUE(found(true).empty());
}

}  // namespace
}  // namespace hindsight::analyzer
