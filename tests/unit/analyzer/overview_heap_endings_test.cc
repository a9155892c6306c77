// Requests of a heap snapshot that cannot end, and a host that does not.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"
#include "tests/support/wait_scene.h"
#include "tests/unit/analyzer/overview_heap_test.h"

namespace hindsight::analyzer {
namespace {

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

}  // namespace
}  // namespace hindsight::analyzer
