// When a command that one request repeats is reported, and when it is not: an amount just below and
// just above each threshold.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/overview/reports.h"
#include "tests/support/profile_scene.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kMs = 1'000'000;

class OverviewOfRequests : public ::testing::Test {
 protected:
  OverviewOfRequests() {
    RecordingFacts& facts = scene_.model().facts;
    facts.last_ns = 10'000'000'000;
    facts.requests_on = facts.request_details_on = true;
    details().from_ns = 0;
    details().routes.emplace_back().name = "GET /shelves/{shelf}";
    Route(0, 1000);
  }

  RequestDetails& details() { return scene_.model().requests.details; }
  void Route(uint32_t route, uint64_t requests) {
    details().count += requests;
    details().routes[route].count = requests;
    details().routes[route].total_ns = requests * 100 * kMs;
  }

  // This many requests of 100 ms that each made this many commands, all of them over `stretch` of
  // the time.
  RequestPartGroup& Repeat(uint64_t requests, uint64_t times, double stretch = 0.5) {
    RequestPartGroup& group = details().parts.emplace_back();
    group.route = 0;
    group.what = "SELECT 1f2e3d4c";
    group.requests = requests;
    group.count = requests * times;
    group.total_ns = group.count * kMs / 10;
    group.per_request.Add(times, requests);
    group.gaps = requests * (times - 1);
    group.idle_ns = group.gaps * kMs;
    group.requests_ns = requests * 100 * kMs;
    group.stretch_ns = static_cast<uint64_t>(stretch * static_cast<double>(group.requests_ns));
    return group;
  }

  std::vector<Finding> Find() {
    reports_ = MakeReports(std::make_unique<EventReports>(scene_.model()), nullptr);
    overview_ = FindAll(reports_);
    std::vector<Finding> found = overview_.findings;
    std::erase_if(found,
                  [](const Finding& finding) { return finding.signal != Signal::kRequests; });
    return found;
  }

  testing::ProfileScene scene_;
  Reports reports_;
  Overview overview_;
  const OverviewRules rules_;
};

TEST_F(OverviewOfRequests, OneCommandAgainAndAgainIsAWarning) {
  Repeat(50, 30);
  const std::vector<Finding> found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "repeated-command");
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title, "GET /shelves/{shelf}: the same command 30 times a request (N+1)");
  EXPECT_EQ(found[0].command, "requests");
  EXPECT_EQ(overview_.coverage.back().signal, Signal::kRequests);
  EXPECT_EQ(overview_.coverage.back().state, Coverage::State::kFound);
}

TEST_F(OverviewOfRequests, AreNotJudgedWithoutSingleOnes) {
  Repeat(50, 30);
  scene_.model().facts.request_details_on = false;
  EXPECT_TRUE(Find().empty());
  EXPECT_EQ(overview_.coverage.size(), kSignals);
}

TEST_F(OverviewOfRequests, FewTimesARequestAreNormal) {
  Repeat(50, rules_.repeated_commands - 1);
  EXPECT_TRUE(Find().empty());
  details().parts.clear();
  Repeat(50, rules_.repeated_commands);
  EXPECT_EQ(Find().size(), 1u);
}

TEST_F(OverviewOfRequests, OneRequestOfTenIsEnough) {
  RequestPartGroup& group = Repeat(89, 1);
  group.per_request.Add(40, 9);  // less than one of ten
  group.requests += 9;
  group.count += 360;
  EXPECT_TRUE(Find().empty());
  group.per_request.Add(40, 3);
  group.requests += 3;
  group.count += 120;
  EXPECT_EQ(Find().size(), 1u);
}

TEST_F(OverviewOfRequests, FewRequestsSayLittle) {
  Repeat(rules_.repeating_requests - 1, 30);
  EXPECT_TRUE(Find().empty());
  details().parts.clear();
  Repeat(rules_.repeating_requests, 30);
  EXPECT_EQ(Find().size(), 1u);
}

// Long polling, which checks for something new now and then.
TEST_F(OverviewOfRequests, WhatWaitsInBetweenIsNoLoopOverRows) {
  RequestPartGroup& group = Repeat(50, 30);
  group.idle_ns = group.gaps * (rules_.repeated_idle_ns + 1);
  EXPECT_TRUE(Find().empty());
  group.idle_ns = group.gaps * rules_.repeated_idle_ns;
  EXPECT_EQ(Find().size(), 1u);
}

TEST_F(OverviewOfRequests, WhatFailsIsTriedAgain) {
  RequestPartGroup& group = Repeat(50, 30);
  group.failed = group.count / 2;
  EXPECT_TRUE(Find().empty());
  --group.failed;
  EXPECT_EQ(Find().size(), 1u);
}

TEST_F(OverviewOfRequests, WhatTakesLittleIsANote) {
  Repeat(50, 30, rules_.repeated_stretch - 0.001);
  ASSERT_EQ(Find().size(), 1u);
  EXPECT_EQ(Find()[0].severity, Severity::kNote);
  EXPECT_TRUE(overview_.is_healthy());
  details().parts.clear();
  Repeat(50, 30, rules_.repeated_stretch + 0.001);
  EXPECT_EQ(Find()[0].severity, Severity::kWarning);
}

TEST_F(OverviewOfRequests, OnlyWhatReadsInARequest) {
  RequestPartGroup& group = Repeat(50, 30);
  group.what = "INSERT 1f2e3d4c";
  EXPECT_TRUE(Find().empty());
  group.what = "";
  EXPECT_TRUE(Find().empty());
  group.what = "SELECT 1f2e3d4c";
  group.route = RequestPartGroup::kOutside;
  EXPECT_TRUE(Find().empty());
  group.route = 0;
  group.kind = RequestPartKind::kCall;
  ASSERT_EQ(Find().size(), 1u);
  EXPECT_EQ(Find()[0].kind, "repeated-call");
}

TEST_F(OverviewOfRequests, OneIsReportedForEachRoute) {
  Repeat(50, 30);
  Repeat(50, 60).what = "SELECT 99999999";
  const std::vector<Finding> found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].title.find("60 times"), std::string::npos);
}

TEST_F(OverviewOfRequests, OnlySoManyAreReported) {
  for (uint32_t route = 1; route < 10; ++route) {
    details().routes.emplace_back().name = "GET /" + std::to_string(route);
    Route(route, 50);
    Repeat(50, 30).route = route;
  }
  EXPECT_EQ(Find().size(), rules_.repeated_reported);
}

TEST_F(OverviewOfRequests, WhatWasNotSeenIsSaid) {
  details() = {};
  Find();
  EXPECT_EQ(overview_.coverage.back().state, Coverage::State::kNothingThere);
  scene_.model().requests.finished = 5;
  Find();
  EXPECT_EQ(overview_.coverage.back().state, Coverage::State::kPartly);
  details().from_ns = 5;
  Find();
  EXPECT_EQ(overview_.coverage.back().state, Coverage::State::kNothingThere);
}

// A second each, on average, of which calls to the bank take `share`.
class SlowRequests : public OverviewOfRequests {
 protected:
  void Slow(uint64_t requests, double share, uint64_t mean_ns = 1000 * kMs) {
    RequestRoute& route = details().routes[0];
    details().count = route.count = requests;
    route.total_ns = requests * mean_ns;
    for (uint64_t i = 0; i < requests; ++i) route.durations.Add(mean_ns);
    route.calls_ns = static_cast<uint64_t>(share * static_cast<double>(route.total_ns));
    Calls(requests, 1);
  }
  RequestPartGroup& Calls(uint64_t requests, uint64_t times) {
    RequestPartGroup& group = Repeat(requests, times);
    group.kind = RequestPartKind::kCall;
    group.what = "bank.example:443";
    return group;
  }
};

TEST_F(SlowRequests, BecauseOfOthersAreANote) {
  Slow(rules_.slow_requests, rules_.slow_request_share);
  const std::vector<Finding> found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "slow-requests");
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].title,
            "GET /shelves/{shelf} takes 1.00 s on average, nearly all of it in calls with "
            "HttpClient to bank.example:443");
  EXPECT_TRUE(found[0].evidence.starts_with("20 requests, 80.0 % of their time"))
      << found[0].evidence;
}

// Three calls of 0.3 s each, in a request of a second.
TEST_F(SlowRequests, SayIfTheirCallsFollowEachOther) {
  constexpr std::string_view kInTurn = "Each begins when the previous one has ended";
  for (const bool overlap : {false, true}) {
    details().parts.clear();
    Slow(rules_.slow_requests, rules_.slow_request_share);
    RequestPartGroup& group = Calls(rules_.slow_requests, 3);
    group.total_ns = rules_.slow_requests * 900 * kMs;
    group.idle_ns = 0;
    group.stretch_ns = overlap ? group.total_ns / 3 : group.total_ns;
    const std::vector<Finding> found = Find();
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].evidence.find(kInTurn) != std::string::npos, !overlap) << found[0].evidence;
  }
}

TEST_F(SlowRequests, AreNotReportedBelowEachThreshold) {
  Slow(rules_.slow_requests - 1, 0.9);
  EXPECT_TRUE(Find().empty());
  Slow(rules_.slow_requests, 0.9, rules_.slow_request_ns - 1);
  EXPECT_TRUE(Find().empty());
  Slow(rules_.slow_requests, rules_.slow_request_share - 0.01);
  EXPECT_TRUE(Find().empty());
}

// They sleep, or await something that is neither a call nor a command.
TEST_F(SlowRequests, BecauseOfWhatWasNotRecordedAreANote) {
  Slow(rules_.slow_requests, 1 - rules_.slow_request_share - 0.01);
  const std::vector<Finding> found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
  EXPECT_EQ(found[0].title,
            "GET /shelves/{shelf} takes 1.00 s on average, nearly all of it in waits that were not "
            "recorded");
  Slow(rules_.slow_requests, 1 - rules_.slow_request_share + 0.01);
  EXPECT_TRUE(Find().empty());
}

// Each awaits a mail server that does not answer, and catches that.
TEST_F(SlowRequests, ThatCatchATimeoutEachAreAWarning) {
  Model& model = scene_.model();
  model.facts.exceptions_on = true;
  const auto timeouts = [&](std::string_view type, uint64_t count) {
    ExceptionGroup group;
    Type entry;
    entry.name = model.dictionaries.AddString(type);
    group.type = model.dictionaries.AddType(entry);
    group.stack = model.dictionaries.AddStack(0, scene_.Method("Shop.Mail.Send"));
    group.count = group.throws[0] = count;
    group.endings[static_cast<size_t>(Ending::kSwallowed)] = count;
    model.exceptions.groups = {group};
    const std::vector<Finding> found = Find();
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  };
  constexpr std::string_view kType = "System.TimeoutException";
  Slow(100, 0);
  const Finding found = timeouts(kType, 100);
  EXPECT_EQ(found.severity, Severity::kWarning);
  EXPECT_EQ(found.title,
            "GET /shelves/{shelf} takes 1.00 s on average, until a timeout ends what it waits for");
  EXPECT_TRUE(found.evidence.ends_with(
      "About as many times, System.TimeoutException is thrown in Shop.Mail.Send, and caught."))
      << found.evidence;
  EXPECT_EQ(timeouts(kType, 80).severity, Severity::kWarning);
  EXPECT_EQ(timeouts(kType, 79).severity, Severity::kNote);
  EXPECT_EQ(timeouts(kType, 125).severity, Severity::kWarning);
  EXPECT_EQ(timeouts(kType, 126).severity, Severity::kNote);
  EXPECT_EQ(timeouts("System.FormatException", 100).severity, Severity::kNote);

  details().routes[0].durations.Add(1200 * kMs, 2);  // more than one of a hundred
  EXPECT_EQ(timeouts(kType, 100).severity, Severity::kNote);
}

TEST_F(SlowRequests, ThatMakeManyCallsAreANoteOrAWarningIfTheseFollowEachOther) {
  RequestPartGroup& group = Calls(rules_.repeating_requests, rules_.repeated_calls);
  group.total_ns = 2 * group.stretch_ns;
  std::vector<Finding> found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "repeated-call");
  EXPECT_EQ(found[0].severity, Severity::kNote);
  details().parts[0].total_ns = details().parts[0].stretch_ns - details().parts[0].idle_ns;
  found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kWarning);
  EXPECT_EQ(found[0].title, "GET /shelves/{shelf}: 20 calls to bank.example:443 a request");
  details().parts.clear();
  Calls(rules_.repeating_requests - 1, rules_.repeated_calls);
  EXPECT_TRUE(Find().empty());
  details().parts.clear();
  Calls(rules_.repeating_requests, rules_.repeated_calls - 1);
  EXPECT_TRUE(Find().empty());
}

TEST_F(SlowRequests, ThatCallAFailingServerAgainAndAgainProbablyTryAgain) {
  details().routes[0].total_ns = 0;
  RequestKind& made = scene_.model().requests.kinds.emplace_back();
  made.tags =
      "http.request.method=GET,server.address=bank.example,server.port=443,"
      "http.response.status_code=503,error.type=503";
  made.side = RequestKind::Side::kMade;
  made.count = 40;
  Calls(10, 2);
  std::vector<Finding> found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "failing-calls");
  EXPECT_NE(found[0].evidence.find("GET /shelves/{shelf} makes 2.0 of them each time, up to 2: it "
                                   "probably tries again"),
            std::string::npos)
      << found[0].evidence;
  details().parts.clear();
  Calls(10, 1);
  found = Find();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].evidence, "They ended with 503.");
}

}  // namespace
}  // namespace hindsight::analyzer
