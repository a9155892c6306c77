// When async methods or requests of a heap snapshot queue: for a semaphore, a connection, room in a
// channel, or what a library hands out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/wait_scene.h"
#include "tests/unit/analyzer/overview_heap_test.h"

namespace hindsight::analyzer {
namespace {

using testing::WaitScene;

// `queueing` requests await a connection of a pool, `others` an answer.
std::vector<Finding> Crowded(uint64_t queueing, uint64_t others, const OverviewRules& rules) {
  TaskReport report;
  TaskGroup& queue = report.groups.emplace_back();
  queue.kind = TaskGroup::Awaits::kSource;
  queue.awaits = "System.Threading.Channels.BlockedReadAsyncOperation<Connector>";
  queue.place = "Shop.Accounts.Balance";
  queue.is_yours = true;
  queue.stack = {"Npgsql.PoolingDataSource.Get.RentAsync", "Shop.Accounts.Balance"};
  queue.requests = queue.count = queueing;
  TaskGroup& more = report.groups.emplace_back(queue);
  more.awaits = "System.Net.Sockets.Socket.AwaitableSocketAsyncEventArgs";
  more.stack = {"Npgsql.ReadBuffer.Ensure", "Shop.Accounts.Balance"};
  more.requests = more.count = others;
  std::vector<Finding> findings;
  JudgeCrowdedRequests(report, rules, findings);
  return findings;
}

TEST(OverviewOfAHeap, MostRequestsAtOneAwaitAreReported) {
  const OverviewRules rules;
  const std::vector<Finding> found = Crowded(rules.waiting_requests, rules.waiting_requests, rules);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(found[0].title,
            "10 of 20 requests in progress queue in Npgsql.PoolingDataSource.Get.RentAsync, called "
            "from Shop.Accounts.Balance");
  EXPECT_TRUE(Crowded(rules.waiting_requests - 1, 0, rules).empty());
  // I/O is what requests are expected to await.
  const std::vector<Finding> io = Crowded(0, rules.waiting_requests, rules);
  ASSERT_EQ(io.size(), 1u);
  EXPECT_FALSE(io[0].is_doubt);
}

// One async method for each that awaits it; the first `gone` of them have continued, and the last
// `requests` of them answer requests.
void AwaitEach(WaitScene& scene, const char* method, const std::vector<ObjectId>& awaited, int gone,
               int requests) {
  const auto count = static_cast<int>(awaited.size());
  for (int i = gone; i < count; ++i) {
    const ObjectId one = scene.Async(method, 0, awaited[static_cast<size_t>(i)], WaitScene::kNone,
                                     WaitScene::kNone, 500 + i);
    if (i >= count - requests) AnswerRequest(scene, one);
  }
}

// The snapshot of that time.
std::unique_ptr<HeapModel> At(WaitScene& scene, uint64_t unix_ns) {
  scene.heap().facts().unix_ns = unix_ns;
  scene.heap().facts().number = 1;
  return scene.Build();
}

// `count` async methods that wait for one semaphore; the first `gone` of them have continued, and
// the last `requests` of them answer requests. If it is held, another one sleeps with it.
std::unique_ptr<HeapModel> Queueing(int count, int gone, uint64_t unix_ns, int64_t free = 0,
                                    int64_t limit = 1, bool is_held = false, int requests = 0) {
  WaitScene scene;
  const ObjectId gate = scene.Semaphore(free, limit);
  scene.heap().Static("Shop.Client", "gate_", gate);
  std::vector<ObjectId> waits;
  for (int i = 0; i < count; ++i) waits.push_back(scene.SemaphoreWait(gate));
  AwaitEach(scene, "Shop.Client+<Enter>d__2", waits, gone, requests);
  if (is_held) {
    scene.Async("Shop.Client+<Enter>d__2", 1, scene.Delay(), WaitScene::kNone, WaitScene::kNone,
                900);
  }
  return At(scene, unix_ns);
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

// Requests that wait so long are a problem, even if others have proceeded.
TEST(OverviewOfAHeap, RequestsInASlowQueueAreAWarning) {
  const OverviewRules rules;
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto count = static_cast<int>(rules.stuck_tasks) + 2;
  const auto requests = static_cast<int>(rules.waiting_requests);
  const auto find = [&](int gone, int requests_of_these) {
    const auto at = [&](int by_then, uint64_t unix_ns) {
      return Queueing(count, by_then, unix_ns, 0, 1, true, requests_of_these);
    };
    const TaskAwaits before = AwaitsIn(*at(0, kBegin));
    for (const Finding& finding :
         Look(at(gone, kBegin + rules.stuck_ns), &before).overview.findings) {
      if (finding.kind == "queued-tasks") return finding;
    }
    return Finding();
  };
  const Finding found = find(2, requests);
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_TRUE(
      found.title.ends_with("wait for one semaphore, Shop.Client.gate_, in Shop.Client.Enter"))
      << found.title;
  EXPECT_EQ(found.evidence,
            "It lets in one at a time. 10 of them were at the same await 10.00 s earlier, and 2 "
            "others have progressed since.");
  EXPECT_EQ(find(2, requests - 1).severity, Severity::kNote);
  EXPECT_EQ(find(3, requests).severity, Severity::kNote);  // too few were there all the time

  // Others than before, but as many.
  const auto at = [&](int gone, uint64_t unix_ns) {
    return Queueing(count, gone, unix_ns, 0, 1, true, requests);
  };
  const TaskAwaits before = AwaitsIn(*at(0, kBegin));
  Looked looked = Look(at(2, kBegin + rules.stuck_ns), &before);
  const auto is_doubt = [&](uint64_t moved) {
    for (TaskGroup& group : looked.reports.heap->tasks.groups) {
      group.unchanged = 0;
      group.moved = moved;
    }
    const std::vector<Finding> findings = FindAll(looked.reports).findings;
    const auto queue = std::ranges::find(findings, "queued-tasks", &Finding::kind);
    return queue != findings.end() && queue->is_doubt;
  };
  EXPECT_TRUE(is_doubt(rules.waiting_requests));
  EXPECT_FALSE(is_doubt(rules.waiting_requests - 1));
}

// `calls` of HttpClient that wait, while there are `connections`, in the newest of two snapshots;
// `before` in the older one.
std::vector<Finding> HttpQueue(uint64_t calls, uint64_t connections,
                               std::optional<uint64_t> before) {
  const OverviewRules rules;
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const auto scene = [&](uint64_t count, uint64_t unix_ns) {
    WaitScene out;
    for (uint64_t i = 0; i < connections; ++i) out.Object("System.Net.Http.HttpConnection");
    for (uint64_t i = 0; i < count; ++i) {
      const ObjectId connection = out.Promise("System.Net.Http.HttpConnection");
      out.heap().Root(out.Waiter("System.Net.Http.HttpConnectionWaiter`1", connection));
      out.Async("Shop.Stock+<Ask>d__2", 0, connection, WaitScene::kNone, WaitScene::kNone,
                static_cast<int64_t>(500 + i));
    }
    out.heap().facts().unix_ns = unix_ns;
    out.heap().facts().number = 1;
    return out.Build();
  };
  TaskAwaits awaits;
  if (before) awaits = AwaitsIn(*scene(*before, kBegin));
  std::vector<Finding> found =
      Look(scene(calls, kBegin + rules.stuck_ns), before ? &awaits : nullptr).overview.findings;
  std::erase_if(found, [](const Finding& other) { return other.signal != Signal::kTasks; });
  return found;
}

TEST(OverviewOfAHeap, CallsThatWaitForAConnectionAreAQueue) {
  const uint64_t many = OverviewRules{}.queued_calls;
  const std::vector<Finding> found = HttpQueue(many, 3, many);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title, "10 HTTP calls wait for a connection, all of them in Shop.Stock.Ask");
  EXPECT_TRUE(found[0].evidence.starts_with("3 connections are open: MaxConnectionsPerServer "));
  EXPECT_EQ(HttpQueue(many, 3, many - 1).at(0).severity, Severity::kNote);
  EXPECT_EQ(HttpQueue(many, 3, std::nullopt).at(0).severity, Severity::kNote);
  EXPECT_TRUE(HttpQueue(many - 1, 3, many).empty());
  EXPECT_EQ(HttpQueue(many, 4 * many, many).size(), 1u);
  EXPECT_TRUE(HttpQueue(many, 4 * many + 1, many).empty());
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
  EXPECT_EQ(
      found[0].evidence,
      "It lets in one at a time. A single snapshot does not show how long they wait: take two "
      "during one recording.");
  EXPECT_TRUE(look(count - 1, 0, 1).empty());
  EXPECT_TRUE(look(count, 1, 1).empty());          // about to let one in
  EXPECT_TRUE(look(count, 0, 2).empty());          // a throttle
  EXPECT_TRUE(look(count, 0, INT32_MAX).empty());  // a signal: they may have nothing to do
  EXPECT_TRUE(look(count, 0, 1, false).empty());   // reported as never released
}

// Requests do not wait for work: a semaphore that lets none of them in is a lock, or a pool.
TEST(OverviewOfAHeap, RequestsThatWaitForOneSemaphoreAreANoteWhateverItsLimit) {
  const OverviewRules rules;
  const auto count = static_cast<int>(rules.queued_tasks);
  const auto look = [&](int requests, int64_t free) {
    return Look(Queueing(count, 0, 1'000'000'000'000, free, INT32_MAX, true, requests)).overview;
  };
  const Overview found = look(count, 0);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].kind, "queued-tasks");
  EXPECT_EQ(found.findings[0].severity, Severity::kNote);
  EXPECT_EQ(found.findings[0].title,
            "4 requests wait for one semaphore, Shop.Client.gate_, in Shop.Client.Enter");
  EXPECT_TRUE(found.findings[0].evidence.starts_with("Its count is 0. A single snapshot"))
      << found.findings[0].evidence;
  EXPECT_TRUE(look(count - 1, 0).findings.empty());
  EXPECT_TRUE(look(count, 1).findings.empty());
}

// `count` async methods that write to a channel without room, or wait for another `source`; the
// first `gone` of them have continued, and the last `requests` of them answer requests.
std::unique_ptr<HeapModel> Writing(
    int count, int gone, uint64_t unix_ns, int requests = 0,
    const char* source = "System.Threading.Channels.BlockedWriteAsyncOperation`1") {
  WaitScene scene;
  std::vector<ObjectId> writes;
  for (int i = 0; i < count; ++i) writes.push_back(scene.SourceTask(source));
  AwaitEach(scene, "Shop.Belt+<Send>d__2", writes, gone, requests);
  return At(scene, unix_ns);
}

TEST(OverviewOfAHeap, WritersOfAFullChannelAreStuckUnlessOthersGetRoom) {
  const OverviewRules rules;
  const auto count = static_cast<int>(rules.stuck_tasks) + 1;
  constexpr uint64_t kBegin = 1'000'000'000'000;
  const TaskAwaits before = AwaitsIn(*Writing(count, 0, kBegin));
  const auto look = [&](int gone) {
    return Look(Writing(count, gone, kBegin + rules.stuck_ns), &before).overview;
  };
  ASSERT_EQ(look(0).findings.size(), 1u);
  EXPECT_EQ(look(0).findings[0].kind, "stuck-tasks");
  EXPECT_EQ(look(0).findings[0].severity, Severity::kWarning);
  EXPECT_TRUE(look(0).findings[0].title.starts_with(
      "11 async methods stuck in Shop.Belt.Send, awaiting room in a channel that is full"))
      << look(0).findings[0].title;
  ASSERT_EQ(look(1).findings.size(), 1u);
  EXPECT_EQ(look(1).findings[0].severity, Severity::kNote);
  EXPECT_TRUE(look(2).findings.empty());
}

// A pool of connections that is a channel, with none left; or streams of news.
TEST(OverviewOfAHeap, RequestsThatReadFromChannelsAreANote) {
  const OverviewRules rules;
  const auto count = static_cast<int>(rules.waiting_requests);
  const auto look = [&](int requests) {
    return Look(Writing(count, 0, 1, requests,
                        "System.Threading.Channels.BlockedReadAsyncOperation`1"))
        .overview.findings;
  };
  const std::vector<Finding> found = look(count);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "waiting-tasks");
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_TRUE(
      found[0].title.starts_with("10 requests waiting in Shop.Belt.Send, awaiting "
                                 "System.Threading.Channels.BlockedRead"))
      << found[0].title;
  EXPECT_TRUE(look(count - 1).empty());
}

TEST(OverviewOfAHeap, InOneSnapshotFewerRequestsThanTasksAreMany) {
  const OverviewRules rules;
  const auto count = static_cast<int>(rules.waiting_requests);
  const auto look = [&](int requests) { return Look(Writing(count, 0, 1, requests)).overview; };
  ASSERT_EQ(look(count).findings.size(), 1u);
  EXPECT_EQ(look(count).findings[0].severity, Severity::kNote);
  EXPECT_TRUE(
      look(count).findings[0].title.starts_with("10 requests wait for room in a full channel"))
      << look(count).findings[0].title;
  EXPECT_TRUE(look(count - 1).findings.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
