// Two recordings' requests without their routes: how many are served, how long they take, and how
// many of them fail.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

class CompareAllRequestsTest : public ComparisonTest {
 protected:
  static constexpr uint64_t kMs = 1'000'000;

  Comparison Compare() { return ComparisonTest::Compare(rules_); }
  void Renew() { before_ = {}, after_ = {}; }
  // So many requests in the first recording, and in the second one.
  void Serve(uint64_t was, uint64_t is) {
    for (auto [side, served] : {std::pair(&before_, was), std::pair(&after_, is)}) {
      Model& model = side->model();
      model.facts.requests_on = true;
      model.requests.started = model.requests.finished = served;
    }
  }

  ComparisonRules rules_;
};

// Without routes, only what no other load explains: twice as long, and 0.1 s longer.
TEST_F(CompareAllRequestsTest, WithoutRoutesAllRequestsAreCompared) {
  const auto serve = [](Side& side, uint64_t each_ns, uint64_t count = 480) {
    Requests& requests = side.model().requests;
    requests.started = requests.finished = count;
    requests.total_ns = count * each_ns;
  };
  const auto compare = [&](uint64_t was_ns, uint64_t is_ns, uint64_t count = 480) {
    Renew();
    serve(before_, was_ns, count);
    serve(after_, is_ns, count);
    return Compare().differences;
  };
  const std::vector<Difference> worse = compare(120 * kMs, 7200 * kMs);
  ASSERT_EQ(worse.size(), 1u);
  EXPECT_EQ(worse[0].signal, Signal::kRequests);
  EXPECT_EQ(worse[0].level, Difference::Level::kWhole);
  EXPECT_EQ(worse[0].direction, Difference::Direction::kWorse);
  EXPECT_EQ(worse[0].measure, "requests.time.mean");
  EXPECT_EQ(worse[0].title, "Requests take 60.0 times as long on average: 120.0 ms -> 7.20 s");
  EXPECT_EQ(compare(7200 * kMs, 120 * kMs).at(0).direction, Difference::Direction::kBetter);
  EXPECT_EQ(compare(100 * kMs, 200 * kMs).size(), 1u);
  EXPECT_TRUE(compare(101 * kMs, 201 * kMs).empty());
  EXPECT_TRUE(compare(99 * kMs, 198 * kMs).empty());
  EXPECT_TRUE(compare(120 * kMs, 7200 * kMs, rules_.many_requests - 1).empty());
}

// In 24 s, 480 requests: those of the second recording may wait longer for a processor and for the
// compiler.
TEST_F(CompareAllRequestsTest, SmallerChangesCountWhereItIsKnownWhatDelayedRequests) {
  const auto compare = [&](uint64_t was_ns, uint64_t is_ns, double ready = 0.01) {
    Renew();
    for (auto [side, each_ns] : {std::pair(&before_, was_ns), std::pair(&after_, is_ns)}) {
      const bool is_first = side == &before_;
      Model& model = side->model();
      model.requests.started = model.requests.finished = 480;
      model.requests.total_ns = 480 * each_ns;
      model.waits.ready_over_ns = 24e9;
      model.waits.ready_ns = (is_first ? 0.1 : 0.1 + ready) * 24e9;
      model.waits.ran_ns = 0.1 * 24e9;
      model.samples.jit.resize(2);
      model.samples.jit[1].time_ns = (is_first ? 0 : 240) * kMs;
    }
    EXPECT_EQ(before_.model().facts.last_ns, 24'000 * kMs);
    return Compare().differences;
  };
  ASSERT_EQ(compare(6 * kMs, 12 * kMs).size(), 1u);
  EXPECT_EQ(compare(6 * kMs, 12 * kMs)[0].title,
            "Requests take 2.0 times as long on average: 6.0 -> 12.0 ms");
  EXPECT_EQ(compare(12 * kMs, 6 * kMs).size(), 1u);
  EXPECT_TRUE(compare(6 * kMs, 12 * kMs - 1).empty());
  // 0.5 ms for the compiler, and 1.5 ms for a processor: three times that are 6.
  EXPECT_EQ(compare(6 * kMs, 12 * kMs, 0.0299).size(), 1u);
  EXPECT_TRUE(compare(6 * kMs, 12 * kMs, 0.0301).empty());
  // 20.5 ms: even without these they take twice as long, and 5 ms more.
  EXPECT_EQ(compare(6 * kMs, 38 * kMs, 0.3).size(), 1u);
  EXPECT_TRUE(compare(6 * kMs, 37 * kMs, 0.3).empty());
  rules_.other_load = 1;
  EXPECT_TRUE(compare(6 * kMs, 12 * kMs).empty());
  rules_.other_load = 1.01;
  const uint64_t least = rules_.min_known_mean_ns;
  EXPECT_EQ(compare(least, 2 * least).size(), 1u);
  EXPECT_TRUE(compare(least - 1, 2 * least - 2).empty());
}

// Waits for a processor may explain them.
TEST_F(CompareAllRequestsTest, RequestsThatTakeVeryMuchLongerArePerhapsADifference) {
  const auto perhaps = [&](uint64_t was_ns, uint64_t is_ns) {
    Renew();
    for (auto [side, each_ns] : {std::pair(&before_, was_ns), std::pair(&after_, is_ns)}) {
      Model& model = side->model();
      model.facts.requests_on = true;
      model.requests.started = model.requests.finished = 480;
      model.requests.total_ns = 480 * each_ns;
      model.waits.ready_over_ns = 24e9;
      model.waits.ready_ns = (side == &before_ ? 0.1 : 3.7) * 24e9;
      model.waits.ran_ns = 0.1 * 24e9;
      model.samples.jit.resize(2);
    }
    const Comparison found = Compare();
    EXPECT_TRUE(found.differences.empty());
    return found.perhaps;
  };
  EXPECT_EQ(perhaps(14 * kMs, 84 * kMs),
            "Requests take 6.0 times as long on average: 14.0 -> 84.0 ms");
  EXPECT_NE(perhaps(14 * kMs, 70 * kMs), "");
  EXPECT_EQ(perhaps(14 * kMs, 70 * kMs - 1), "");
}

// What hangs is not served any more, and does nothing.
TEST_F(CompareAllRequestsTest, AnImprovementWithFewerRequestsIsNamedWithThem) {
  const auto compare = [&](uint64_t was, uint64_t is) {
    Renew();
    Serve(was, is);
    before_.Burn({"Shop.Serve"}, 500);
    before_.Burn({"Shop.Download"}, 500);
    after_.Burn({"Shop.Serve"}, 500);
    return VerdictOf(Compare());
  };
  EXPECT_TRUE(
      compare(2400, 1920)
          .starts_with(
              "No regressions, 1 improvement, but fewer requests (100/s -> 80.0/s): Shop.Download"))
      << compare(2400, 1920);
  EXPECT_TRUE(compare(2400, 1921).starts_with("No regressions, 1 improvement: Shop.Download"));
}

// A release that never gets ready.
TEST_F(CompareAllRequestsTest, HardlyAnyRequestsComeFirst) {
  const auto compare = [&](uint64_t was, uint64_t is) {
    Renew();
    Serve(was, is);
    return Compare().differences;
  };
  const uint64_t many = rules_.many_requests;
  const std::vector<Difference> fewer = compare(960, 12);
  ASSERT_EQ(fewer.size(), 1u);
  EXPECT_EQ(fewer[0].title, "Far fewer requests are served: 40.0/s -> 0.50/s");
  EXPECT_EQ(fewer[0].direction, Difference::Direction::kWorse);
  EXPECT_EQ(fewer[0].impact, 1);
  EXPECT_EQ(compare(12, 960).at(0).title, "Far more requests are served: 0.50/s -> 40.0/s");
  EXPECT_EQ(compare(12, 960)[0].direction, Difference::Direction::kBetter);
  EXPECT_EQ(compare(960, 0).size(), 1u);
  EXPECT_EQ(compare(many, many / 10).size(), 1u);
  EXPECT_TRUE(compare(many - 1, 1).empty());
  EXPECT_TRUE(compare(many, many / 10 + 1).empty());
  EXPECT_TRUE(compare(100 * many, many).empty());  // another load
}

// What a process uses more of while it serves requests is no regression.
TEST_F(CompareAllRequestsTest, WhatFollowsTheNumberOfRequestsIsANote) {
  const auto compare = [&](uint64_t was, uint64_t is, int burnt_before, int burnt_after) {
    Renew();
    Serve(was, is);
    before_.Burn({"Shop.Serve"}, burnt_before);
    after_.Burn({"Shop.Serve"}, burnt_after);
    std::vector<Difference> differences = Compare().differences;
    std::erase_if(differences, [](const Difference& one) { return one.signal != Signal::kCpu; });
    return differences.size();
  };
  EXPECT_EQ(compare(12, 960, 5, 50), 0u);
  EXPECT_EQ(compare(960, 12, 50, 5), 0u);
  // More of it with fewer requests is one.
  EXPECT_EQ(compare(960, 12, 5, 50), 1u);
  EXPECT_EQ(compare(12, 960, 50, 5), 1u);
}

// With 600 requests in each, 2.7 % more is just over twice the error of counting.
TEST_F(CompareAllRequestsTest, WithoutRoutesAllFailuresAreCompared) {
  const auto compare = [&](uint64_t was, uint64_t is, uint64_t count = 600) {
    Renew();
    for (auto [side, failed] : {std::pair(&before_, was), std::pair(&after_, is)}) {
      Requests& requests = side->model().requests;
      requests.started = requests.finished = count;
      requests.failed = failed;
    }
    return Compare().differences;
  };
  const std::vector<Difference> worse = compare(0, 316);
  ASSERT_EQ(worse.size(), 1u);
  EXPECT_EQ(worse[0].direction, Difference::Direction::kWorse);
  EXPECT_EQ(worse[0].measure, "requests.failed.share");
  EXPECT_EQ(worse[0].title, "52.7 % of the requests fail with an exception, was 0.0 %");
  EXPECT_TRUE(worse[0].evidence.starts_with("0 of 600 -> 316 of 600 requests"))
      << worse[0].evidence;
  EXPECT_EQ(compare(316, 0).at(0).title, "Requests no longer fail with an exception, was 52.7 %");
  EXPECT_EQ(compare(0, 16).size(), 1u);
  rules_.min_failing_share = 16.1 / 600;
  EXPECT_TRUE(compare(0, 16).empty());
  rules_.min_failing_share = 0.02;
  EXPECT_TRUE(compare(300, 314).empty());  // by chance
  EXPECT_EQ(compare(0, 20, rules_.few_requests).size(), 1u);
  EXPECT_TRUE(compare(0, 19, rules_.few_requests - 1).empty());
}

// With a middleware that catches everything, no exception reaches the server.
TEST_F(CompareAllRequestsTest, MoreServerErrorsAreADifferenceWhereBothRecordingsCountThem) {
  const auto compare = [this](std::optional<uint64_t> was, std::optional<uint64_t> is) {
    Renew();
    before_.model().requests.server_errors = was;
    after_.model().requests.server_errors = is;
    for (Side* side : {&before_, &after_}) {
      side->model().requests.started = side->model().requests.finished = 600;
    }
    return Compare().differences;
  };
  const std::vector<Difference> worse = compare(0, 60);
  ASSERT_EQ(worse.size(), 1u);
  EXPECT_EQ(worse[0].direction, Difference::Direction::kWorse);
  EXPECT_EQ(worse[0].measure, "requests.server_errors.share");
  EXPECT_EQ(worse[0].title,
            "10.0 % of the requests are answered with a server error (500 or above), was 0.0 %");
  EXPECT_EQ(compare(60, 0).at(0).title,
            "Requests are no longer answered with a server error (500 or above), was 10.0 %");
  EXPECT_TRUE(compare(std::nullopt, 60).empty());
  EXPECT_TRUE(compare(60, 66).empty());  // by chance
}

}  // namespace
}  // namespace hindsight::analyzer
