// Which async methods of a heap snapshot are found to be stuck, and from how many on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/measures.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/wait_scene.h"
#include "tests/unit/analyzer/overview_heap_test.h"

namespace hindsight::analyzer {
namespace {

using testing::WaitScene;
using State = Coverage::State;

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

// As in a heap that was walked in the pause.
TEST(OverviewOfAHeap, TasksWithoutAStateAreNoAllClear) {
  for (const bool has_values : {true, false}) {
    WaitScene scene(has_values);
    scene.Promise("", WaitScene::kDone);
    const Looked looked = Look(scene.Build());
    const Coverage& tasks = looked.Of(Signal::kTasks);
    EXPECT_EQ(tasks.state, has_values ? State::kNothingThere : State::kPartly);
    EXPECT_EQ(tasks.note, has_values ? "" : "The state of 1 task was not recorded.");
    // Nor can a budget be met.
    const auto is_unfinished = [](const Measure& measure) {
      return measure.kind->name == "tasks.unfinished";
    };
    EXPECT_EQ(std::ranges::any_of(MeasuresOf(looked.reports), is_unfinished), has_values);
  }
}

TEST(OverviewOfAHeap, OneSnapshotDoesNotShowWhetherTasksGetOn) {
  const OverviewRules rules;
  const auto many = static_cast<int>(rules.waiting_tasks_of_yours);
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
  EXPECT_TRUE(overview(few, rules.stuck_ns - 1).is_healthy());
  EXPECT_TRUE(overview(few - 1, rules.stuck_ns).findings.empty());
  const Overview found = overview(few, rules.stuck_ns);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].severity, Severity::kWarning);
  EXPECT_EQ(found.findings[0].kind, "stuck-tasks");
}

// Fewer may wait for something rare: neither a finding nor an all-clear.
TEST(OverviewOfAHeap, AFewTasksThatStandStillAreNoAllClear) {
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const TaskAwaits before = AwaitsIn(*Waiting(2, kBegin));
  const auto tasks = [&](int count, const TaskAwaits* earlier) {
    return Look(Waiting(count, kBegin + OverviewRules().stuck_ns), earlier).Of(Signal::kTasks);
  };
  EXPECT_EQ(tasks(2, &before).state, State::kPartly);
  EXPECT_EQ(tasks(2, &before).note,
            "2 async calls of yours await what they awaited 10.00 s earlier, in Shop.Client.Send: "
            "idle, or stuck; `hindsight tasks` shows them.");
  const TaskAwaits none = AwaitsIn(*Waiting(0, kBegin));
  EXPECT_EQ(tasks(2, &none).state, State::kHealthy);
}

// A long poll looks the same.
TEST(OverviewOfAHeap, AFewRequestsThatAllStandStillAreADoubt) {
  const OverviewRules rules;
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto requests = [&](uint64_t count, uint64_t unix_ns) {
    WaitScene scene;
    for (uint64_t i = 0; i < count; ++i) {
      const ObjectId paid = scene.Promise();
      scene.heap().Static("Shop.Bank", "s_" + std::to_string(i), scene.CompletionSource(paid));
      AnswerRequest(scene, scene.Async("Shop.Bank+<Pay>d__2", 0, paid, WaitScene::kNone,
                                       WaitScene::kNone, static_cast<int64_t>(500 + i)));
    }
    scene.heap().facts().unix_ns = unix_ns;
    scene.heap().facts().number = 1;
    return scene.Build();
  };
  const auto find = [&](uint64_t count, uint64_t before_count) {
    const TaskAwaits before = AwaitsIn(*requests(before_count, kBegin));
    return Look(requests(count, kBegin + rules.stuck_ns), &before).overview.findings;
  };
  const uint64_t few = rules.few_stuck_requests;
  ASSERT_EQ(find(few, few).size(), 1u);
  EXPECT_TRUE(find(few, few)[0].is_doubt);
  EXPECT_EQ(find(few, few)[0].subject, "Shop.Bank.Pay");
  EXPECT_TRUE(find(few - 1, few - 1).empty());
  EXPECT_TRUE(find(few + 1, few).empty());  // one has just come
  EXPECT_TRUE(find(few, few + 1).empty());  // one has got on
}

// The thread that blocks has to run the rest of it.
TEST(OverviewOfAHeap, AContinuationThatDoesNotRunIsReported) {
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto scene = [](uint64_t unix_ns, bool blocks) {
    WaitScene out;
    const ObjectId load = out.Async("Shop.View+<Load>d__1", 0, out.Promise("", WaitScene::kDone),
                                    WaitScene::kNone, WaitScene::kNone, 500);
    if (blocks) out.WaitEvent(load);
    out.heap().facts().unix_ns = unix_ns;
    out.heap().facts().number = 1;
    return out.Build();
  };
  const auto find = [&](uint64_t after_ns, bool blocks) {
    const TaskAwaits before = AwaitsIn(*scene(kBegin, blocks));
    return Look(scene(kBegin + after_ns, blocks), &before).overview.findings;
  };
  const uint64_t least = OverviewRules().stuck_ns;
  const std::vector<Finding> found = find(least, true);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title,
            "1 async method does not go on in Shop.View.Load, although what it awaits has "
            "completed");
  EXPECT_TRUE(find(least - 1, true).empty());
  EXPECT_TRUE(find(least, false).empty());
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

// Workers of a service that have nothing to do wait in the same way as those of a lock that
// somebody forgot to release.
TEST(OverviewOfAHeap, ASemaphoreWithoutAHolderMayBeASignalUnlessRequestsWaitForIt) {
  const OverviewRules rules;
  const auto severity = [](int64_t limit, bool are_requests, uint64_t count = 4,
                           const char* caller = nullptr) {
    WaitScene scene;
    const ObjectId gate = scene.Semaphore(0, limit);
    scene.heap().Static("Shop.Jobs", "signal_", gate);
    for (uint64_t i = 0; i < count; ++i) {
      const ObjectId next = scene.Async("Shop.Jobs+<Next>d__2", 0, scene.SemaphoreWait(gate));
      if (are_requests) AnswerRequest(scene, next);
      if (caller != nullptr) scene.Async(caller, 0, next);
    }
    for (const Finding& finding : Look(scene.Build()).overview.findings) {
      if (finding.signal == Signal::kDeadlocks) return finding.severity;
    }
    return Severity::kCritical;
  };
  EXPECT_EQ(severity(INT32_MAX, false), Severity::kNote);
  EXPECT_EQ(severity(INT32_MAX, true), Severity::kWarning);
  EXPECT_EQ(severity(1, false), Severity::kWarning);
  EXPECT_EQ(severity(INT32_MAX, false, rules.stuck_tasks - 1), Severity::kNote);
  EXPECT_EQ(severity(INT32_MAX, false, rules.stuck_tasks), Severity::kWarning);
  EXPECT_EQ(severity(INT32_MAX, false, rules.stuck_tasks,
                     "Microsoft.Extensions.Hosting.Internal.Host+"
                     "<TryExecuteBackgroundServiceAsync>d__18"),
            Severity::kNote);
}

// Many services wait for others all the time, but then requests end.
TEST(OverviewOfAHeap, RequestsThatNoServerAnswersAreStuckIfFewOthersEnd) {
  const OverviewRules rules;
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto calls = [&](const char* connection, uint64_t count, uint64_t unix_ns) {
    WaitScene scene;
    for (uint64_t i = 0; i < count; ++i) {
      const ObjectId sends =
          scene.Async(connection, 0, scene.SourceTask("System.Net.Sockets.Socket+Args"));
      AnswerRequest(scene, scene.Async("Shop.Stock+<Ask>d__2", 0, sends, WaitScene::kNone,
                                       WaitScene::kNone, static_cast<int64_t>(500 + i)));
    }
    scene.heap().facts().unix_ns = unix_ns;
    scene.heap().facts().number = 1;
    return scene.Build();
  };
  const auto find = [&](const char* connection, uint64_t count, std::optional<uint64_t> ended) {
    const TaskAwaits before = AwaitsIn(*calls(connection, count, kBegin));
    Looked looked = Look(calls(connection, count, kBegin + rules.stuck_ns), &before);
    Model model;
    model.facts.started_unix_ns = kBegin - 1'000'000'000;
    model.facts.requests_on = ended.has_value();
    const auto between_ns = static_cast<int64_t>(1'000'000'000 + rules.stuck_ns / 2);
    model.requests.samples.push_back({.at_ns = 1, .finished = 1000});  // before
    if (ended) model.requests.samples.push_back({.at_ns = between_ns, .finished = *ended});
    if (!ended) model.requests.samples.clear();
    looked.reports.events = std::make_unique<EventReports>(model);
    std::vector<Finding> found = FindAll(looked.reports).findings;
    std::erase_if(found, [](const Finding& other) {
      return other.signal != Signal::kTasks || other.kind == "crowded-requests";
    });
    return found;
  };
  const char* const send = "System.Net.Http.HttpConnection+<SendAsync>d__57";
  const std::vector<Finding> found = find(send, rules.stuck_tasks, rules.stuck_tasks - 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title,
            "10 requests stuck in Shop.Stock.Ask, awaiting the answer to an HTTP call");
  EXPECT_NE(found[0].evidence.find("only 9 requests ended"), std::string::npos);
  EXPECT_EQ(find(send, rules.stuck_tasks, rules.stuck_tasks).at(0).severity, Severity::kNote);
  EXPECT_EQ(find(send, rules.stuck_tasks, std::nullopt).at(0).severity, Severity::kNote);
  EXPECT_TRUE(find(send, rules.stuck_tasks - 1, 0).empty());
  // It reads a stream of events.
  EXPECT_TRUE(find("System.Net.Http.HttpConnection+<ReadAsync>d__7", rules.stuck_tasks, 0).empty());
}

}  // namespace
}  // namespace hindsight::analyzer
