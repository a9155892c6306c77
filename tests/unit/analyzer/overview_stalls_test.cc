// When a time in which no request ended is reported, and when requests that pile up are: an amount
// just below and just above each threshold.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// The counters of a server's requests, and what is found in them.
class Traffic {
 public:
  uint64_t in_progress() { return scene_.model().requests.in_progress(); }
  void Load(const std::string& assembly) {
    Dictionaries& dictionaries = scene_.model().dictionaries;
    Module module;
    module.path = dictionaries.AddString("/app/" + assembly);
    dictionaries.AddModule(module);
  }

  // What happened in the next `length_ns`; `total_ns`: in progress, of all requests together.
  void Add(int64_t length_ns, uint64_t started, uint64_t finished, uint64_t total_ns) {
    now_ns_ += length_ns;
    Requests& all = scene_.model().requests;
    all.samples.push_back(
        {.at_ns = now_ns_, .started = started, .finished = finished, .total_ns = total_ns});
    all.started += started;
    all.finished += finished;
  }

  std::vector<Finding> Find(std::string_view kind) {
    scene_.model().facts.requests_on = true;
    scene_.model().facts.last_ns = now_ns_;
    const Reports reports = MakeReports(std::make_unique<EventReports>(scene_.model()), nullptr);
    std::vector<Finding> found = FindAll(reports).findings;
    std::erase_if(found, [&](const Finding& one) { return one.kind != kind; });
    return found;
  }

 private:
  testing::ProfileScene scene_;
  int64_t now_ns_ = 0;
};

// A service that serves `rate` requests a second for a minute, and then none for `stall` seconds.
struct Service {
  uint64_t rate = 20;
  int64_t stall_ns = 20 * kSecond;
  uint64_t waiting = 15;  // in progress during the stall
  uint64_t begin = 0;     // in the stall
  int64_t after = 0;      // seconds for which it serves them again
  const char* assembly = "shop.dll";
};

std::vector<Finding> StallsOf(const Service& service) {
  Traffic traffic;
  const auto serve = [&](int64_t seconds) {
    for (int64_t i = 0; i < seconds; ++i) {
      traffic.Add(kSecond, service.rate, service.rate, kSecond);
    }
  };
  serve(60);
  const int64_t half_ns = service.stall_ns / 2, rest_ns = service.stall_ns - half_ns;
  traffic.Add(half_ns, service.begin, 0, service.waiting * static_cast<uint64_t>(half_ns));
  traffic.Add(rest_ns, 0, 0, service.waiting * static_cast<uint64_t>(rest_ns));
  serve(service.after);
  traffic.Load(service.assembly);
  return traffic.Find("stalled-requests");
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

TEST(Stalls, OpenConnectionsAreANoteAndADoubtWhereNothingKeepsThemOpen) {
  for (const bool keeps_open : {false, true}) {
    const std::vector<Finding> found =
        StallsOf({.begin = OverviewRules{}.stalled_requests - 1,
                  .assembly = keeps_open ? "Microsoft.AspNetCore.Http.Connections.dll" : "a.dll"});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].severity, Severity::kNote);
    EXPECT_EQ(found[0].is_doubt, !keeps_open);
  }
}

TEST(Stalls, WhereNoneEndedAtAllThatIsADoubt) {
  const OverviewRules rules;
  const auto find = [](uint64_t began, int64_t waited_ns, const char* assembly = "shop.dll",
                       uint64_t finished = 0) {
    Traffic traffic;
    traffic.Add(kSecond, began, finished, 0);
    traffic.Add(waited_ns, 0, 0, began * static_cast<uint64_t>(waited_ns));
    traffic.Load(assembly);
    return traffic.Find("stalled-requests");
  };
  const auto waited_ns = static_cast<int64_t>(rules.none_ended_ns);
  const std::vector<Finding> found = find(rules.none_ended_requests, waited_ns);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].is_doubt);
  EXPECT_EQ(found[0].title, "No request ended, of 3 that began");
  EXPECT_TRUE(find(rules.none_ended_requests - 1, waited_ns).empty());
  EXPECT_TRUE(find(rules.none_ended_requests, waited_ns - 1).empty());
  EXPECT_TRUE(find(rules.none_ended_requests, waited_ns, "shop.dll", 1).empty());
  EXPECT_TRUE(
      find(rules.none_ended_requests, waited_ns, "Microsoft.AspNetCore.Http.Connections.dll")
          .empty());
}

TEST(Stalls, ShortOnesAreNone) {
  const auto limit_ns = static_cast<int64_t>(OverviewRules{}.stalled_ns);
  EXPECT_EQ(StallsOf({.stall_ns = limit_ns}).size(), 1u);
  EXPECT_TRUE(StallsOf({.stall_ns = limit_ns - 2}).empty());
}

TEST(Stalls, FewRequestsInProgressAreNone) {
  EXPECT_EQ(StallsOf({.waiting = OverviewRules{}.few_stalled_requests}).size(), 1u);
  EXPECT_TRUE(StallsOf({.waiting = OverviewRules{}.few_stalled_requests - 1}).empty());
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
  Traffic traffic;
  traffic.Load(load.assembly);
  for (int64_t i = 0; i < load.calm; ++i) {
    traffic.Add(kSecond, load.started, load.started, 3 * kSecond);
  }
  for (int64_t i = 0; i < load.seconds; ++i) {
    if (load.ramp > 1) {
      const double times =
          1 + (load.ramp - 1) * static_cast<double>(i) / static_cast<double>(load.seconds);
      const auto rate = static_cast<uint64_t>(times * static_cast<double>(load.started));
      traffic.Add(kSecond, rate, rate, rate * kSecond);  // each takes a second
    } else {
      traffic.Add(kSecond, load.started, load.finished, traffic.in_progress() * kSecond);
    }
  }
  if (load.recovers) {
    traffic.Add(kSecond, load.started, load.started + traffic.in_progress(), kSecond);
  }
  return traffic.Find("piled-up-requests");
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

// One of 30 never ends, and the others take 0.1 s. At the start of the recording, most are slow.
TEST(PiledUpRequests, OfWhichFewNeverEndAreAWarning) {
  Traffic traffic;
  const auto add = [&](uint64_t started, uint64_t finished) {
    traffic.Add(kSecond, started, finished, traffic.in_progress() * kSecond + 3 * kSecond);
  };
  add(150, 10);
  add(150, 50);
  add(0, 238);
  for (int64_t i = 0; i < 40; ++i) add(30, 29);
  const std::vector<Finding> found = traffic.Find("piled-up-requests");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(PiledUpRequests, ThatMayBeOpenConnectionsAreANote) {
  const std::vector<Finding> found =
      PilesOf({.assembly = "Microsoft.AspNetCore.Http.Connections.dll"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_TRUE(found[0].is_doubt);
}

// Attached to an outage: too few have ended to show how long they take.
TEST(PiledUpRequests, OfAnOutageThatHadBegunAreAWarning) {
  Traffic traffic;
  for (int64_t i = 0; i < 25; ++i) {
    const uint64_t finished = i < 5 ? 1 : 9;
    traffic.Add(kSecond, 40, finished, traffic.in_progress() * kSecond);
  }
  const std::vector<Finding> found = traffic.Find("piled-up-requests");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
}

TEST(PiledUpRequests, AreNoneIfTheyHaveEnded) { EXPECT_TRUE(PilesOf({.recovers = true}).empty()); }

TEST(PiledUpRequests, AreNoneIfOnlyTheLoadGrows) { EXPECT_TRUE(PilesOf({.ramp = 5}).empty()); }

// In 15 s, 14 intervals of a second.
TEST(PiledUpRequests, TakeAWhile) {
  EXPECT_FALSE(PilesOf({.seconds = 16}).at(0).is_doubt);
  EXPECT_TRUE(PilesOf({.seconds = 15}).at(0).is_doubt);
  EXPECT_EQ(PilesOf({.seconds = 9}).size(), 1u);
  EXPECT_TRUE(PilesOf({.seconds = 8}).empty());
}

// A client that has at most 100 requests open: in 5 s, as many hang.
TEST(PiledUpRequests, ThatStayAsManyPileUpInLessTime) {
  const auto found = [](int64_t rising, int64_t staying) {
    Traffic traffic;
    const auto add = [&](uint64_t finished) {
      traffic.Add(kSecond, 60, finished, traffic.in_progress() * kSecond);
    };
    for (int64_t i = 0; i < rising; ++i) add(60 - 100 / static_cast<uint64_t>(rising));
    for (int64_t i = 0; i < staying; ++i) add(60);
    return traffic.Find("piled-up-requests");
  };
  ASSERT_EQ(found(5, 9).size(), 1u);
  EXPECT_TRUE(found(5, 9)[0].is_doubt);
  EXPECT_TRUE(found(5, 2).empty());
  EXPECT_TRUE(found(4, 9).empty());
}

TEST(PiledUpRequests, AreMany) {
  EXPECT_TRUE(PilesOf({.started = 30, .finished = 29}).empty());
  EXPECT_EQ(PilesOf({.started = 30, .finished = 27}).size(), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
