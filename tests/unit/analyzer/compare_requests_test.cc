// Two recordings' requests by route and server: what is a difference, and each threshold at its
// edge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

constexpr auto kMade = RequestKind::Side::kMade;
constexpr uint64_t kMs = 1'000'000;
// Enough to make chance negligible.
constexpr uint64_t kMany = 240'000;

class CompareRequestsTest : public ComparisonTest {
 protected:
  Comparison Compare() { return ComparisonTest::Compare(rules_); }
  size_t Reported() { return Compare().differences.size(); }
  void Renew() { before_ = {}, after_ = {}; }
  // `failing` in a hundred thousand fail.
  static void Serve(Side& side, uint64_t failing, uint64_t count = kMany) {
    const uint64_t failed = count * failing / 100'000;
    side.Request({.to = "/pay", .count = count - failed});
    if (failed > 0) side.Request({.to = "/pay", .count = failed, .fail = true});
  }
  const Coverage& CoverageOf(const Comparison& comparison) {
    return comparison.coverage[static_cast<size_t>(Signal::kRequests)];
  }

  ComparisonRules rules_;
};

TEST_F(CompareRequestsTest, ARouteThatTakesLongerIsADifference) {
  before_.Request({.to = "/orders/{id:int}", .count = 480, .each_ns = 40 * kMs});
  after_.Request({.to = "/orders/{id:int}", .count = 480, .each_ns = 84 * kMs});
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  const Difference& found = comparison.differences[0];
  EXPECT_EQ(found.title,
            "GET /orders/{id:int} takes 2.1 times as long per request: 40.0 -> 84.0 ms");
  EXPECT_EQ(found.signal, Signal::kRequests);
  EXPECT_EQ(found.level, Difference::Level::kRoute);
  EXPECT_EQ(found.direction, Difference::Direction::kWorse);
  EXPECT_EQ(found.measure, "requests.time.mean");
  EXPECT_EQ(found.subject, "GET /orders/{id:int}");
  EXPECT_EQ(found.unit, Unit::kNanoseconds);
  EXPECT_NEAR(found.before, 40e6, 1);
  EXPECT_NEAR(found.after, 84e6, 1);
  EXPECT_GT(found.confidence, 0.999);
  EXPECT_EQ(found.command, "requests");
  ASSERT_TRUE(comparison.routes);
  EXPECT_EQ(comparison.routes->served.at(0).time, RouteChange::Change::kWorse);
  EXPECT_FALSE(comparison.routes->served.at(0).failures);
  EXPECT_EQ(CoverageOf(comparison).looked_at, "480 and 480 requests");
}

TEST_F(CompareRequestsTest, TheOtherWayRoundItIsAnImprovementOfTheSameImpact) {
  before_.Request({.to = "/", .count = 480, .each_ns = 40 * kMs});
  after_.Request({.to = "/", .count = 240, .each_ns = 84 * kMs});
  const Comparison forth = Compare();
  std::swap(before_, after_);
  const Comparison back = Compare();
  ASSERT_EQ(forth.differences.size(), 1u);
  ASSERT_EQ(back.differences.size(), 1u);
  EXPECT_EQ(back.differences[0].title, "GET / takes 52 % less time per request: 84.0 -> 40.0 ms");
  EXPECT_EQ(back.differences[0].direction, Difference::Direction::kBetter);
  EXPECT_DOUBLE_EQ(back.differences[0].impact, forth.differences[0].impact);
  EXPECT_EQ(back.routes->served.at(0).time, RouteChange::Change::kBetter);
}

// Its mean falls all the time, so no test says that it is longer in the second recording. Other
// routes show whether the machine was slower.
TEST_F(CompareRequestsTest, ARouteThatVariesIsPerhapsLongerIfOthersStayTheSame) {
  const auto compare = [&](uint64_t is_ns, uint64_t others_ns, size_t others = 2,
                           bool knows_delays = false) {
    Renew();
    for (auto [side, first_ns] : {std::pair(&before_, 12 * kMs), std::pair(&after_, is_ns)}) {
      for (int64_t second = 0; second < 24; ++second) {
        const uint64_t falls_by = static_cast<uint64_t>(second) * kMs / 5;
        side->Request(
            {.to = "/pay", .count = 12, .each_ns = first_ns - falls_by, .in_second = second});
      }
      for (size_t i = 0; i < others; ++i) {
        side->Request({.to = "/" + std::to_string(i),
                       .count = 240,
                       .each_ns = side == &before_ ? 4 * kMs : others_ns});
      }
      if (!knows_delays) continue;
      Model& model = side->model();
      model.requests.started = model.requests.finished = 1000;
      model.waits.ready_over_ns = 24e9;
      model.waits.ready_ns = model.waits.ran_ns = 0.1 * 24e9;
      model.samples.jit.resize(2);
    }
    Comparison comparison = Compare();
    std::erase_if(comparison.differences,
                  [](const Difference& found) { return found.subject != "GET /pay"; });
    return std::pair(comparison.perhaps, comparison.differences.size());
  };
  EXPECT_EQ(compare(27 * kMs, 4 * kMs),
            std::pair(std::string("GET /pay takes 2.5 times as long per request: 9.7 -> 24.7 ms"),
                      size_t{0}));
  EXPECT_EQ(compare(20 * kMs, 4 * kMs).first, "");   // less than twice as long
  EXPECT_EQ(compare(27 * kMs, 10 * kMs).first, "");  // others, too
  EXPECT_EQ(compare(27 * kMs, 4 * kMs, 1).first, "");
  // Nor was there a wait for a processor that could explain it.
  EXPECT_EQ(compare(27 * kMs, 4 * kMs, 1, true), std::pair(std::string(), size_t{1}));
  EXPECT_EQ(compare(20 * kMs, 4 * kMs, 1, true).second, 0u);
}

// A query in a loop: N+1.
TEST_F(CompareRequestsTest, MoreCommandsOrCallsPerRequestAreADifference) {
  struct Made {
    uint64_t commands = 1, calls = 0, count = 100;
    uint64_t rare = 0;  // commands of one request, in addition
  };
  const auto compare = [&](const Made& was, const Made& is) {
    Renew();
    for (auto [side, made] : {std::pair(&before_, was), std::pair(&after_, is)}) {
      RequestDetails& details = side->model().requests.details;
      RequestRoute& route = details.routes.emplace_back();
      route.name = "GET /orders/{id}";
      route.count = made.count;
      route.total_ns = made.count * kMs;
      route.commands = made.count * made.commands + made.rare;
      route.calls = made.count * made.calls;
      for (uint64_t i = 0; i < made.count; ++i) {
        SingleRequest single;
        single.commands = made.commands + (i == 0 ? made.rare : 0);
        single.calls = made.calls;
        details.single.push_back(single);
      }
    }
    return Compare().differences;
  };
  const std::vector<Difference> worse = compare({.commands = 1}, {.commands = 12});
  ASSERT_EQ(worse.size(), 1u);
  EXPECT_EQ(worse[0].title,
            "GET /orders/{id} makes 12.0 times the database commands per request: 1.00 -> 12.0");
  EXPECT_EQ(worse[0].direction, Difference::Direction::kWorse);
  EXPECT_EQ(worse[0].measure, "requests.commands.mean");
  EXPECT_EQ(worse[0].subject, "GET /orders/{id}");
  EXPECT_NEAR(worse[0].impact, 1 - 1.0 / 12, 1e-9);
  EXPECT_EQ(compare({.commands = 12}, {.commands = 1}).at(0).direction,
            Difference::Direction::kBetter);
  EXPECT_EQ(compare({}, {.calls = 3}).at(0).title,
            "GET /orders/{id} makes HttpClient calls per request: none -> 3.00");
  EXPECT_EQ(compare({.calls = 3}, {}).at(0).title,
            "GET /orders/{id} makes no HttpClient calls per request: 3.00 -> none");
  EXPECT_EQ(compare({.commands = 2}, {.commands = 3}).size(), 1u);
  EXPECT_TRUE(compare({.commands = 3}, {.commands = 4}).empty());
  EXPECT_TRUE(compare({.count = 100}, {.commands = 9, .count = rules_.few_requests - 1}).empty());
  // One request alone, which makes 100 more.
  EXPECT_TRUE(compare({}, {.rare = 100}).empty());
  rules_.sure_work = 0.9;
  EXPECT_EQ(compare({}, {.rare = 100}).size(), 1u);
  rules_.min_work = 1.01;
  EXPECT_TRUE(compare({}, {.rare = 100}).empty());
}

TEST_F(CompareRequestsTest, AServerThatAnswersLaterIsReportedPerCall) {
  before_.Request({.to = "bank", .count = 480, .each_ns = 40 * kMs, .side = kMade});
  after_.Request({.to = "bank", .count = 480, .each_ns = 56 * kMs, .side = kMade});
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0].title,
            "GET bank takes 40 % more time per call: 40.0 -> 56.0 ms");
  EXPECT_EQ(comparison.differences[0].level, Difference::Level::kServer);
  EXPECT_EQ(comparison.differences[0].measure, "calls.time.mean");
  EXPECT_TRUE(comparison.routes->served.empty());
  EXPECT_EQ(comparison.routes->made.at(0).time, RouteChange::Change::kWorse);
}

TEST_F(CompareRequestsTest, FailuresAreReportedAsAShare) {
  Serve(before_, 100, 1000);
  Serve(after_, 12'000, 1000);
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  const Difference& found = comparison.differences[0];
  EXPECT_EQ(found.title, "GET /pay fails 12.0 % of the time, was 0.1 %");
  EXPECT_EQ(found.measure, "requests.failed.share");
  EXPECT_EQ(found.unit, Unit::kShare);
  EXPECT_TRUE(found.evidence.starts_with("1 of 1,000 -> 120 of 1,000 requests, +-"));
  EXPECT_TRUE(found.evidence.ends_with("; mostly with 500, Shop.Lost")) << found.evidence;
  EXPECT_EQ(comparison.routes->served.at(0).failures, RouteChange::Change::kWorse);
  EXPECT_FALSE(comparison.routes->served.at(0).time);
}

TEST_F(CompareRequestsTest, ARouteThatNoLongerFailsIsAnImprovement) {
  Serve(before_, 12'000, 1000);
  Serve(after_, 0, 1000);
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0].title, "GET /pay no longer fails, was 12.0 %");
  EXPECT_EQ(comparison.differences[0].direction, Difference::Direction::kGone);
  EXPECT_EQ(comparison.routes->served.at(0).failures, RouteChange::Change::kBetter);
}

TEST_F(CompareRequestsTest, FewFailuresMoreMayBeChance) {
  Serve(before_, 1000, 1000);
  Serve(after_, 2000, 1000);
  EXPECT_EQ(Reported(), 0u);
  Renew();
  Serve(before_, 1000);
  Serve(after_, 2000);
  EXPECT_EQ(Reported(), 1u);
}

// One that took twenty seconds: the mean is five times as long.
TEST_F(CompareRequestsTest, OneSlowSecondMakesNoRouteSlow) {
  for (Side* side : {&before_, &after_}) side->Request({.to = "/", .count = 480});
  after_.Request({.to = "/", .count = 1, .each_ns = 20'000 * kMs, .in_second = 7});
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty()) << VerdictOf(comparison);
  EXPECT_GT(comparison.routes->served.at(0).after->mean_ns, 50 * kMs);
}

TEST_F(CompareRequestsTest, TrafficAndNewAndGoneRoutesAreReportedAndNoDifference) {
  before_.Request({.to = "/", .count = 480});
  after_.Request({.to = "/", .count = 4800});
  before_.Request({.to = "/old", .count = 480});
  after_.Request({.to = "/new", .count = 240, .fail = true});
  after_.Request({.to = "bank", .count = 240, .side = kMade});
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty()) << VerdictOf(comparison);
  const std::vector<RouteChange>& served = comparison.routes->served;
  ASSERT_EQ(served.size(), 3u);  // most time first
  EXPECT_EQ(served[0].name, "GET /");
  EXPECT_DOUBLE_EQ(served[0].before->per_second, 20);
  EXPECT_DOUBLE_EQ(served[0].after->per_second, 200);
  EXPECT_EQ(served[1].name, "GET /new");
  EXPECT_FALSE(served[1].before);
  EXPECT_DOUBLE_EQ(served[1].after->failed_share, 1);
  EXPECT_EQ(served[2].name, "GET /old");
  EXPECT_FALSE(served[2].after);
  ASSERT_EQ(comparison.routes->made.size(), 1u);
  EXPECT_FALSE(comparison.routes->made[0].before);
  EXPECT_EQ(CoverageOf(comparison).looked_at, "960 and 5,040 requests, 0 and 240 calls");
}

// As long on average; one in ten takes nine times as long as before.
TEST_F(CompareRequestsTest, PercentilesAreReportedAndNotJudged) {
  before_.Request({.to = "/", .count = 1000, .each_ns = 10 * kMs});
  after_.Request({.to = "/", .count = 900, .each_ns = 2 * kMs});
  after_.Request({.to = "/", .count = 100, .each_ns = 82 * kMs});
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty()) << VerdictOf(comparison);
  const RouteChange& route = comparison.routes->served.at(0);
  EXPECT_EQ(route.before->mean_ns, 10 * kMs);
  EXPECT_EQ(route.after->mean_ns, 10 * kMs);
  const auto expect = [](uint64_t actual, uint64_t wanted) {
    EXPECT_NEAR(static_cast<double>(actual), static_cast<double>(wanted),
                static_cast<double>(wanted) * Histogram::kMaxRelativeError);
  };
  expect(route.before->p95_ns, 10 * kMs);
  expect(route.before->p99_ns, 10 * kMs);
  expect(route.after->p95_ns, 82 * kMs);
  expect(route.after->p99_ns, 82 * kMs);
}

TEST_F(CompareRequestsTest, PercentilesAreEvidenceOfADifference) {
  before_.Request({.to = "/", .count = 960, .each_ns = 10 * kMs});
  before_.Request({.to = "/", .count = 40, .each_ns = 40 * kMs});
  after_.Request({.to = "/", .count = 960, .each_ns = 30 * kMs});
  after_.Request({.to = "/", .count = 40, .each_ns = 90 * kMs});
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  const std::string& evidence = comparison.differences[0].evidence;
  EXPECT_NE(evidence.find("; p95 10.1 -> 30.1 ms, p99 40.0 -> 89.1 ms"), std::string::npos)
      << evidence;
}

TEST_F(CompareRequestsTest, WhatOnlyOneRecordingHasWasNotSeen) {
  before_.Request({.to = "/", .count = 480, .each_ns = 40 * kMs});
  after_.model().facts.requests_on = true;
  for (const bool is_swapped : {false, true}) {
    if (is_swapped) std::swap(before_, after_);
    const std::string which = is_swapped ? "second" : "first";
    const Comparison comparison = Compare();
    EXPECT_FALSE(comparison.routes);
    EXPECT_EQ(CoverageOf(comparison).state, Coverage::State::kNotRecorded);
    EXPECT_EQ(CoverageOf(comparison).note, "By route only in the " + which + " recording.");
    ASSERT_EQ(comparison.notes.size(), 1u);
    EXPECT_EQ(comparison.notes[0],
              "Only the " + which +
                  " recording has requests by route (requests.routes=on): whether a route got "
                  "slower, or fails more often, was not seen.");
  }
}

// A connection that stays open is a request until it is closed.
TEST_F(CompareRequestsTest, TheLivesOfConnectionsAreNoDurations) {
  const auto compare = [&](const char* assembly) {
    Renew();
    for (Side* side : {&before_, &after_}) {
      Requests& requests = side->model().requests;
      requests.started = requests.finished = 480;
      requests.total_ns = 480 * (side == &before_ ? 100 : 7000) * kMs;
    }
    Module module;
    module.path = after_.model().dictionaries.AddString(assembly);
    after_.model().dictionaries.AddModule(module);
    return Compare().differences.size();
  };
  EXPECT_EQ(compare("/app/Shop.dll"), 1u);
  EXPECT_EQ(compare("/app/Microsoft.AspNetCore.Http.Connections.dll"), 0u);
}

TEST_F(CompareRequestsTest, WithoutRoutesAnywhereThatIsSaid) {
  EXPECT_EQ(CoverageOf(Compare()).note, "In neither recording.");
  after_.model().facts.requests_on = true;
  EXPECT_EQ(CoverageOf(Compare()).note, "By route in neither recording.");
  EXPECT_TRUE(Compare().notes.empty());
}

TEST_F(CompareRequestsTest, NoRequestInEitherIsNothingThere) {
  for (Side* side : {&before_, &after_}) side->model().requests.kinds_from_ns = 0;
  EXPECT_EQ(CoverageOf(Compare()).state, Coverage::State::kNothingThere);
}

TEST_F(CompareRequestsTest, ARecordingThatDoesNotKnowAllSaysSo) {
  for (Side* side : {&before_, &after_}) side->Request({.to = "/", .count = 480});
  after_.model().requests.lacks_kinds = true;
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_TRUE(comparison.notes[0].starts_with("The second recording does not know all kinds"));
}

// None of it is normalized by the load: it is per request.
TEST_F(CompareRequestsTest, WhatAmountsAreDividedByDoesNotMatter) {
  before_.Request({.to = "/", .count = 480, .each_ns = 40 * kMs});
  after_.Request({.to = "/", .count = 480, .each_ns = 84 * kMs});
  for (const Per per : {Per::kSecond, Per::kCpu, Per::kRequest, Per::kNothing}) {
    rules_.per = per;
    EXPECT_EQ(Reported(), 1u);
  }
}

TEST_F(CompareRequestsTest, TimeIsADifferenceFromAShareOfTheLongerOn) {
  before_.Request({.to = "/", .count = kMany, .each_ns = 80 * kMs});
  after_.Request({.to = "/", .count = kMany, .each_ns = 100 * kMs});
  rules_.min_change_of_requests = 0.19;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_change_of_requests = 0.21;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(CompareRequestsTest, TheUsualSharesAreAQuarterAndATenth) {
  for (const uint64_t ms : {74, 76}) {
    Renew();
    before_.Request({.to = "/", .count = kMany, .each_ns = ms * kMs});
    after_.Request({.to = "/", .count = kMany, .each_ns = 100 * kMs});
    EXPECT_EQ(Reported(), ms < 75 ? 1u : 0u);
  }
  for (const uint64_t failing : {17'500, 18'500}) {
    Renew();
    Serve(before_, failing);
    Serve(after_, 20'000);
    EXPECT_EQ(Reported(), failing < 18'000 ? 1u : 0u);
  }
}

// --min-change, if it is larger.
TEST_F(CompareRequestsTest, ChangesBelowTheUsersShareAreNone) {
  before_.Request({.to = "/", .count = kMany, .each_ns = 50 * kMs});
  after_.Request({.to = "/", .count = kMany, .each_ns = 100 * kMs});
  rules_.min_change = 0.49;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_change = 0.51;
  EXPECT_EQ(Reported(), 0u);
  Renew();
  Serve(before_, 10'000);
  Serve(after_, 20'000);
  rules_.min_change = 0.48;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_change = 0.51;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(CompareRequestsTest, TimeIsADifferenceFromSoManyNanosecondsOn) {
  before_.Request({.to = "/", .count = kMany, .each_ns = 100'000});
  after_.Request({.to = "/", .count = kMany, .each_ns = 300'000});
  EXPECT_EQ(rules_.min_request_ns, 200'000);
  rules_.min_request_ns = 199'999;
  EXPECT_EQ(Reported(), 1u);
  rules_.min_request_ns = 200'001;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(CompareRequestsTest, FailuresAreADifferenceFromAShareOfTheRequestsOn) {
  for (const uint64_t failing : {490, 510}) {
    Renew();
    Serve(before_, 0);
    Serve(after_, failing);
    EXPECT_EQ(Reported(), failing > 500 ? 1u : 0u);
  }
  rules_.min_failures = 0.0052;
  EXPECT_EQ(Reported(), 0u);
}

TEST_F(CompareRequestsTest, FewRequestsInEitherShowNothing) {
  const auto reported = [this](uint64_t of_before, uint64_t of_after) {
    Renew();
    before_.Request({.to = "/", .count = of_before, .each_ns = 10 * kMs});
    after_.Request({.to = "/", .count = of_after, .each_ns = 100 * kMs});
    return Reported();
  };
  const uint64_t few = rules_.few_requests;
  EXPECT_EQ(few, 20u);
  EXPECT_EQ(reported(few, few), 1u);
  EXPECT_EQ(reported(few - 1, few), 0u);
  EXPECT_EQ(reported(few, few - 1), 0u);
  rules_.few_requests = few - 1;
  EXPECT_EQ(reported(few, few - 1), 1u);
}

TEST_F(CompareRequestsTest, OfRareRequestsTheImpactIsLess) {
  before_.Request({.to = "/", .count = 240, .each_ns = 50 * kMs});
  after_.Request({.to = "/", .count = 240, .each_ns = 100 * kMs});  // ten a second
  const auto impact = [this] { return Compare().differences.at(0).impact; };
  EXPECT_NEAR(impact(), 0.5, 1e-6);
  rules_.weights.busy_requests = 20;
  EXPECT_NEAR(impact(), 0.25, 1e-6);
}

TEST_F(CompareRequestsTest, TheImpactOfTimeIsItsShareOfAllThatIsServed) {
  for (Side* side : {&before_, &after_}) {
    side->Request({.to = "/", .count = 2400, .each_ns = side == &before_ ? 50 * kMs : 100 * kMs});
    side->Request({.to = "/same", .count = 2400, .each_ns = 300 * kMs});
    side->Request({.to = "bank", .count = 2400, .each_ns = 900 * kMs, .side = kMade});
  }
  EXPECT_NEAR(Compare().differences.at(0).impact, 50.0 / 400, 1e-6);
}

TEST_F(CompareRequestsTest, TheImpactOfFailuresIsBySoManyThatCountAsAll) {
  Serve(before_, 0);
  Serve(after_, 10'000);
  const auto impact = [this] { return Compare().differences.at(0).impact; };
  EXPECT_NEAR(impact(), 0.5, 1e-6);
  rules_.weights.failing = 0.1;
  EXPECT_NEAR(impact(), 1, 1e-6);
  rules_.weights.failing = 0.05;
  EXPECT_DOUBLE_EQ(impact(), 1);
}

TEST_F(CompareRequestsTest, WhatMostRoutesHaveInCommonIsNoted) {
  for (const char* route : {"/a", "/b", "/c", "/d"}) {
    for (const uint64_t ms : {80, 120}) {
      before_.Request({.to = route, .count = 2400, .each_ns = ms * kMs});
      after_.Request({.to = route, .count = 2400, .each_ns = ms * kMs * 115 / 100});
    }
  }
  rules_.noted_factor = 1.14;
  const Comparison comparison = Compare();
  EXPECT_TRUE(comparison.is_empty());
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_TRUE(comparison.notes[0].starts_with(
      "Most routes and servers changed by 15 % more time per request alike: "))
      << comparison.notes[0];
  rules_.noted_factor = 1.16;
  EXPECT_TRUE(Compare().notes.empty());
}

}  // namespace
}  // namespace hindsight::analyzer
