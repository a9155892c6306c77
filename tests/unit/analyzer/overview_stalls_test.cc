// When a time in which no request ended is reported, and when requests that pile up are: an amount
// just below and just above each threshold.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// A service that serves `rate` requests a second for a minute, and then none for `stall` seconds.
struct Service {
  uint64_t rate = 20;
  int64_t stall_ns = 20 * kSecond;
  uint64_t waiting = 15;  // in progress during the stall
  uint64_t begin = 0;     // in the stall
  int64_t after = 0;      // seconds for which it serves them again
};

std::vector<Finding> StallsOf(const Service& service) {
  testing::ProfileScene scene;
  Requests& requests = scene.model().requests;
  const auto add = [&](int64_t at_ns, uint64_t started, uint64_t finished, uint64_t total_ns) {
    requests.samples.push_back(
        {.at_ns = at_ns, .started = started, .finished = finished, .total_ns = total_ns});
    requests.started += started;
    requests.finished += finished;
  };
  int64_t now = 0;
  const auto serve = [&](int64_t seconds) {
    for (int64_t i = 0; i < seconds; ++i) add(now += kSecond, service.rate, service.rate, kSecond);
  };
  serve(60);
  const auto half_ns = static_cast<uint64_t>(service.stall_ns / 2);
  add(now + service.stall_ns / 2, service.begin, 0, service.waiting * half_ns);
  add(now += service.stall_ns, 0, 0,
      service.waiting * (static_cast<uint64_t>(service.stall_ns) - half_ns));
  serve(service.after);
  scene.model().facts.requests_on = true;
  scene.model().facts.last_ns = now;
  const Reports reports = MakeReports(std::make_unique<EventReports>(scene.model()), nullptr);
  std::vector<Finding> found = FindAll(reports).findings;
  std::erase_if(found, [](const Finding& one) { return one.kind != "stalled-requests"; });
  return found;
}

TEST(Stalls, RequestsThatBeginAndDoNotEndAreAWarning) {
  for (const int64_t after : {0, 30}) {
    const std::vector<Finding> found = StallsOf({.begin = 10, .after = after});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].severity, Severity::kWarning);
    EXPECT_EQ(found[0].signal, Signal::kRequests);
    EXPECT_EQ(found[0].title, "No request ended for 20.00 s, while 15 were in progress");
  }
}

TEST(Stalls, OpenConnectionsAreANote) {
  const std::vector<Finding> found = StallsOf({.begin = OverviewRules{}.stalled_requests - 1});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

TEST(Stalls, ShortOnesAreNone) {
  const auto limit_ns = static_cast<int64_t>(OverviewRules{}.stalled_ns);
  EXPECT_EQ(StallsOf({.stall_ns = limit_ns}).size(), 1u);
  EXPECT_TRUE(StallsOf({.stall_ns = limit_ns - 2}).empty());
}

TEST(Stalls, FewRequestsInProgressAreNone) {
  EXPECT_EQ(StallsOf({.waiting = OverviewRules{}.stalled_requests}).size(), 1u);
  EXPECT_TRUE(StallsOf({.waiting = OverviewRules{}.stalled_requests - 1}).empty());
}

// At 5 a second, 100 are missing after 20 seconds.
TEST(Stalls, WhereRequestsAreRareNoneAreMissed) {
  EXPECT_EQ(StallsOf({.rate = 5}).size(), 1u);
  EXPECT_TRUE(StallsOf({.rate = 4}).empty());
}

// Requests that begin faster than they end, for 30 seconds: of `started` a second, `finished` end.
struct Load {
  uint64_t started = 30, finished = 20;
  int64_t seconds = 30;
  int64_t calm = 0;       // seconds before, in which they take 0.1 s
  bool recovers = false;  // all end afterwards, while others begin
  double ramp = 1;        // in the end, that many times as many begin, and end at once
  const char* assembly = "shop.dll";
};

std::vector<Finding> PilesOf(const Load& load) {
  testing::ProfileScene scene;
  Module module;
  module.path = scene.model().dictionaries.AddString(std::string("/app/") + load.assembly);
  scene.model().dictionaries.AddModule(module);
  Requests& requests = scene.model().requests;
  int64_t now = 0, in_progress = 0;
  const auto second = [&](uint64_t started, uint64_t finished, int64_t kept_ns) {
    in_progress += static_cast<int64_t>(started) - static_cast<int64_t>(finished);
    requests.samples.push_back({.at_ns = now += kSecond,
                                .started = started,
                                .finished = finished,
                                .total_ns = static_cast<uint64_t>(kept_ns)});
    requests.started += started;
    requests.finished += finished;
  };
  for (int64_t i = 0; i < load.calm; ++i) second(load.started, load.started, 3 * kSecond);
  for (int64_t i = 0; i < load.seconds; ++i) {
    if (load.ramp > 1) {
      const double times =
          1 + (load.ramp - 1) * static_cast<double>(i) / static_cast<double>(load.seconds);
      const auto rate = static_cast<uint64_t>(times * static_cast<double>(load.started));
      second(rate, rate, static_cast<int64_t>(rate) * kSecond);  // each takes a second
    } else {
      second(load.started, load.finished, in_progress * kSecond);
    }
  }
  if (load.recovers) {
    second(load.started, load.started + static_cast<uint64_t>(in_progress), kSecond);
  }
  scene.model().facts.requests_on = true;
  scene.model().facts.last_ns = now;
  const Reports reports = MakeReports(std::make_unique<EventReports>(scene.model()), nullptr);
  std::vector<Finding> found = FindAll(reports).findings;
  std::erase_if(found, [](const Finding& one) { return one.kind != "piled-up-requests"; });
  return found;
}

TEST(PiledUpRequests, AreAWarning) {
  for (const int64_t calm : {0, 120}) {
    const std::vector<Finding> found = PilesOf({.calm = calm});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].severity, Severity::kWarning);
    EXPECT_NE(found[0].evidence.find("30 began and 20 ended a second"), std::string::npos)
        << found[0].evidence;
  }
}

TEST(PiledUpRequests, ThatMayBeOpenConnectionsAreANote) {
  const std::vector<Finding> found =
      PilesOf({.assembly = "Microsoft.AspNetCore.Http.Connections.dll"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

TEST(PiledUpRequests, AreNoneIfTheyHaveEnded) { EXPECT_TRUE(PilesOf({.recovers = true}).empty()); }

TEST(PiledUpRequests, AreNoneIfOnlyTheLoadGrows) { EXPECT_TRUE(PilesOf({.ramp = 5}).empty()); }

// In 15 s, 14 intervals of a second.
TEST(PiledUpRequests, TakeAWhile) {
  EXPECT_EQ(PilesOf({.seconds = 16}).size(), 1u);
  EXPECT_TRUE(PilesOf({.seconds = 15}).empty());
}

TEST(PiledUpRequests, AreMany) {
  EXPECT_TRUE(PilesOf({.started = 30, .finished = 29}).empty());
  EXPECT_EQ(PilesOf({.started = 30, .finished = 27}).size(), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
