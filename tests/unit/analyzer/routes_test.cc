// Requests by route: what is read from the metrics' tags, and how kinds become rows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/analyses/requests.h"
#include "analyzer/reader/request_builder.h"
#include "tests/support/reading.h"

namespace hindsight::analyzer {
namespace {

using testing::ModelOf;

TEST(TagOf, FindsValuesWithCommasInBraces) {
  constexpr std::string_view kTags =
      "http.request.method=GET,http.route=/a/{x:regex(^b=1,c=2$)}/{y=3},url.scheme=http,empty=";
  EXPECT_EQ(TagOf(kTags, "http.request.method"), "GET");
  EXPECT_EQ(TagOf(kTags, "http.route"), "/a/{x:regex(^b=1,c=2$)}/{y=3}");
  EXPECT_EQ(TagOf(kTags, "url.scheme"), "http");
  EXPECT_EQ(TagOf(kTags, "empty"), "");
  EXPECT_EQ(TagOf(kTags, "c"), std::nullopt);
  EXPECT_EQ(TagOf(kTags, "method"), std::nullopt);
  EXPECT_EQ(TagOf("", "http.route"), std::nullopt);
}

TEST(TagOf, AnEndlessBraceHidesNothingBeforeIt) {
  EXPECT_EQ(TagOf("a=1,b={{{,c=2", "a"), "1");
  EXPECT_EQ(TagOf("a=1,b={{{,c=2", "b"), "{{{,c=2");
}

std::string Recording(const std::string& packets) {
  return R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "requests"
             options: "requests.routes=on" } }
    packet { string { id: 1 value: "http.request.method=GET,http.response.status_code=200,http.route=/item" } }
    packet { string { id: 2 value: "error.type=Shop.Lost,http.request.method=GET,http.response.status_code=500,http.route=item" } }
    packet { string { id: 3 value: "http.request.method=GET,http.response.status_code=404" } }
    packet { string { id: 4 value: "error.type=503,http.request.method=GET,http.response.status_code=503,server.address=bank,server.port=443" } }
  )" + packets;
}

TEST(Routes, KindsOfOneRouteAreOneRowWithTheirEndings) {
  const auto model = ModelOf(Recording(R"(
    packet { time_delta_ns: 1000 request_durations { notice: LISTENING } }
    packet { time_delta_ns: 1000 request_durations { instrument: SERVER tags: 1 count: 10
             total_ns: 1000 p50_ns: 100 p95_ns: 100 p99_ns: 100 } }
    packet { request_durations { instrument: SERVER tags: 2 count: 3 total_ns: 600 p50_ns: 200
             p95_ns: 200 p99_ns: 200 } }
    packet { request_durations { instrument: SERVER tags: 3 count: 1 total_ns: 5000 p50_ns: 5000
             p95_ns: 5000 p99_ns: 5000 } }
    packet { time_delta_ns: 1000 request_durations { instrument: SERVER tags: 1 count: 10
             total_ns: 9000 p50_ns: 900 p95_ns: 900 p99_ns: 900 } }
    packet { request_durations { instrument: CLIENT tags: 4 count: 2 total_ns: 80 p50_ns: 40
             p95_ns: 40 p99_ns: 40 } })"));
  EXPECT_TRUE(model->facts.routes_on);
  EXPECT_EQ(model->requests.kinds_from_ns, 1000);
  const RequestReport report = AnalyzeRequests(*model);
  ASSERT_EQ(report.served.size(), 2u);
  const RequestRow& item = report.served[0];
  EXPECT_EQ(item.method + " " + item.target, "GET /item");
  EXPECT_EQ(item.count, 23u);
  EXPECT_EQ(item.failed, 3u);
  EXPECT_EQ(item.total_ns, 10'600u);
  EXPECT_EQ(item.mean_ns(), 460u);
  EXPECT_NEAR(static_cast<double>(item.p50_ns), 200, 200 * Histogram::kMaxRelativeError);
  EXPECT_NEAR(static_cast<double>(item.p95_ns), 900, 900 * Histogram::kMaxRelativeError);
  EXPECT_EQ(item.slowest_ns, 900u);
  EXPECT_EQ(item.slowest_at_ns, 3000);
  ASSERT_EQ(item.endings.size(), 2u);
  EXPECT_EQ(item.endings[0].status, "500");
  EXPECT_EQ(item.endings[0].error, "Shop.Lost");
  EXPECT_TRUE(item.endings[0].is_failure);
  EXPECT_EQ(item.endings[1].count, 20u);
  EXPECT_EQ(report.served[1].target, "");  // no route matched
  EXPECT_EQ(report.served[1].failed,
            0u);  // a request for something that does not exist is not a failure

  ASSERT_EQ(report.made.size(), 1u);
  EXPECT_EQ(report.made[0].target, "bank:443");
  EXPECT_EQ(report.made[0].failed, 2u);
  EXPECT_EQ(report.made[0].endings[0].error, "");  // it is the status
}

// A packet reports about the second before it.
TEST(Routes, RowsKnowWhenTheirRequestsEnded) {
  const auto model = ModelOf(Recording(R"(
    packet { time_delta_ns: 2000000000 request_durations { instrument: SERVER tags: 1 count: 10
             total_ns: 1000 p50_ns: 100 p95_ns: 100 p99_ns: 100 } }
    packet { time_delta_ns: 2000000000 request_durations { instrument: SERVER tags: 2 count: 4
             total_ns: 800 p50_ns: 200 p95_ns: 200 p99_ns: 200 } })"));
  const RequestRow row = AnalyzeRequests(*model).served.at(0);
  const auto parts = [](const TimeSeries& series) { return series.Resampled(0, 4'000'000'000, 4); };
  const auto expect = [&](const TimeSeries& series, std::vector<double> wanted) {
    const std::vector<double> actual = parts(series);
    for (size_t i = 0; i < wanted.size(); ++i) {
      // As accurate as the buckets of the series allow.
      EXPECT_NEAR(actual[i], wanted[i], 0.1 * (wanted[1] + wanted[3])) << i;
    }
  };
  expect(row.counts, {0, 10, 0, 4});
  expect(row.failures, {0, 0, 0, 4});
  expect(row.times, {0, 1000, 0, 800});
  EXPECT_NEAR(row.variance_ns2, 2040, 200);  // 10 of 100, 4 of 200
}

TEST(Routes, QuantilesBetweenThoseKnownAreInterpolated) {
  const auto model = ModelOf(Recording(R"(
    packet { request_durations { instrument: SERVER tags: 1 count: 1000 total_ns: 1 p50_ns: 1000
             p95_ns: 10000 p99_ns: 20000 } })"));
  const RequestRow row = AnalyzeRequests(*model).served.at(0);
  EXPECT_NEAR(static_cast<double>(row.p50_ns), 1000, 200);
  EXPECT_NEAR(static_cast<double>(row.p95_ns), 10'000, 300);
  EXPECT_NEAR(static_cast<double>(row.p99_ns), 20'000, 600);
}

TEST(Routes, WhatTheRuntimeCouldNotReportIsKnown) {
  const auto model = ModelOf(Recording(R"(
    packet { request_durations { notice: TOO_MANY_KINDS } }
    packet { request_durations { notice: OTHER_SESSION } })"));
  EXPECT_TRUE(model->requests.lacks_kinds);
  EXPECT_TRUE(model->requests.is_refused);
  EXPECT_TRUE(model->requests.kinds.empty());
  EXPECT_FALSE(model->requests.kinds_from_ns);
}

TEST(Routes, NoNumberIsBelieved) {
  Requests requests;
  RequestBuilder builder(requests);
  RequestDurations durations;
  durations.set_instrument(RequestDurations::SERVER);
  durations.set_count(UINT64_MAX);
  durations.set_total_ns(UINT64_MAX);
  durations.set_p50_ns(UINT64_MAX);
  durations.set_p99_ns(7);
  for (int i = 0; i < 10'000; ++i) builder.On(durations, std::to_string(i), i);
  EXPECT_EQ(requests.kinds.size(), Requests::kMaxKinds);
  EXPECT_TRUE(requests.lacks_kinds);
  EXPECT_GT(requests.kinds[0].durations.Quantile(0.5), 7u);
}

}  // namespace
}  // namespace hindsight::analyzer
