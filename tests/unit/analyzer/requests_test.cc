#include "analyzer/model/requests.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "analyzer/analyses/mean_request.h"
#include "analyzer/analyses/requests.h"
#include "analyzer/analyses/timeline.h"
#include "analyzer/reader/request_builder.h"
#include "tests/support/reading.h"

namespace hindsight::analyzer {
namespace {

using testing::ModelOf;

constexpr int64_t kSecond = 1'000'000'000;

TEST(Requests, AreSummedUpWithTheirIntervals) {
  const auto model = ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "requests" } }
    packet { time_delta_ns: 5000 request_counts { interval_ns: 3000 started: 4 finished: 3 failed: 1
             busy_ns: 900 in_flight: 1 server_errors: 2 } }
    packet { time_delta_ns: 5000 request_counts { interval_ns: 5000 finished: 1 busy_ns: 300 } })");
  EXPECT_TRUE(model->facts.requests_on);
  const Requests& requests = model->requests;
  EXPECT_EQ(requests.started, 4u);
  EXPECT_EQ(requests.finished, 4u);
  EXPECT_EQ(requests.failed, 1u);
  EXPECT_EQ(requests.server_errors, 2u);  // the second interval does not say
  EXPECT_EQ(requests.total_ns, 1200u);
  // Before the first there was nothing.
  ASSERT_EQ(requests.samples.size(), 3u);
  EXPECT_EQ(requests.samples[0].at_ns, 2000);
  EXPECT_EQ(requests.samples[0].finished, 0u);
  EXPECT_EQ(requests.samples[1].at_ns, 5000);
  EXPECT_EQ(requests.samples[1].finished, 3u);
  EXPECT_EQ(requests.samples[2].at_ns, 10'000);
}

TEST(Requests, WithoutThemNothingIsThere) {
  const auto model = ModelOf("packet { segment_start {} } packet { process { source: \"gc\" } }");
  EXPECT_FALSE(model->facts.requests_on);
  EXPECT_EQ(model->requests.started, 0u);
  EXPECT_TRUE(model->requests.samples.empty());
}

TEST(Requests, ALongRecordingKeepsItsSumsInFewerRows) {
  Requests requests;
  RequestBuilder builder(requests);
  RequestCounts second;
  second.set_interval_ns(kSecond);
  second.set_started(3);
  second.set_finished(2);
  second.set_busy_ns(500);
  constexpr int64_t kSeconds = 20'000;
  for (int64_t i = 1; i <= kSeconds; ++i) builder.On(second, i * kSecond);
  builder.Finish();
  EXPECT_LE(requests.samples.size(), Requests::kMaxRows);
  uint64_t finished = 0;
  int64_t at_ns = 0;
  for (const RequestSample& sample : requests.samples) {
    EXPECT_EQ(sample.finished, 2u * static_cast<uint64_t>((sample.at_ns - at_ns) / kSecond));
    at_ns = sample.at_ns;
    finished += sample.finished;
  }
  EXPECT_EQ(at_ns, kSeconds * kSecond);
  EXPECT_EQ(finished, 2u * kSeconds);
  EXPECT_EQ(requests.finished, finished);
}

TEST(Requests, NoNumberIsBelieved) {
  Requests requests;
  RequestBuilder builder(requests);
  RequestCounts counts;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  counts.set_interval_ns(kMost);
  counts.set_started(kMost);
  counts.set_finished(kMost);
  counts.set_failed(kMost);
  counts.set_busy_ns(kMost);
  counts.set_in_flight(kMost);
  for (int i = 0; i < 100'000; ++i) builder.On(counts, -kSecond);
  builder.Finish();
  EXPECT_GT(requests.total_ns, uint64_t{1} << 60);
  EXPECT_LE(requests.samples.size(), Requests::kMaxRows);
}

// Ten requests of 1 ms, next to three that do not end.
TEST(Requests, ThoseThatDoNotEndAreNoPartOfTheMean) {
  Requests requests;
  requests.samples = {
      {.at_ns = 1'000'000'000, .started = 8, .finished = 5, .total_ns = 5'000'000},
      {.at_ns = 2'000'000'000, .started = 5, .finished = 5, .total_ns = 3'000'000'000 + 5'000'000}};
  requests.started = 13;
  requests.finished = 10;
  requests.total_ns = 3'010'000'000;
  std::optional<MeanRequest> mean = MeanRequestOf(requests);
  ASSERT_TRUE(mean);
  EXPECT_EQ(mean->least_ns, 0u);  // they may also have run in the first second
  EXPECT_EQ(mean->most_ns, 301'000'000u);
  EXPECT_FALSE(mean->is_known());

  // It was empty between: so they began afterwards.
  requests.samples[0].started = 5;
  requests.samples[1].started = 8;
  requests.total_ns = 9'010'000'000;
  mean = MeanRequestOf(requests);
  EXPECT_EQ(mean->least_ns, 601'000'000u);
  EXPECT_EQ(mean->most_ns, 901'000'000u);

  // At a look in the last second, one was in progress; so at most one of the three was all along.
  requests.samples[0].started = 8;
  requests.samples[1].started = 5;
  requests.samples[1].fewest = 1;
  EXPECT_EQ(MeanRequestOf(requests)->least_ns, 501'000'000u);
  requests.samples[0].started = 5;

  requests.started = 10;
  requests.samples[1].started = 5;
  EXPECT_TRUE(MeanRequestOf(requests)->is_known());
  EXPECT_EQ(MeanRequestOf(requests)->least_ns, 901'000'000u);
  EXPECT_FALSE(MeanRequestOf(Requests()));
}

// The ends of seven that an earlier recording saw begin are counted, but their durations are not
// known.
TEST(Requests, TheMeanIsOfThoseThatBeganHere) {
  Requests requests;
  for (int64_t second = 1; second <= 2; ++second) {
    requests.samples.push_back({.at_ns = second * 1'000'000'000, .started = 50, .finished = 50});
  }
  requests.samples[1].finished = 57;
  requests.began_before = 7;
  requests.started = 100;
  requests.finished = 107;
  requests.total_ns = 19'000'000'000;
  std::optional<MeanRequest> mean = MeanRequestOf(requests);
  ASSERT_TRUE(mean);
  EXPECT_EQ(mean->least_ns, 50'000'000u);  // they took 14 s of that
  EXPECT_EQ(mean->most_ns, 190'000'000u);  // or they were the first that ended

  requests.samples[0].fewest = 0;  // they had ended by then
  EXPECT_EQ(MeanRequestOf(requests)->least_ns, 120'000'000u);

  requests.finished = 7;
  EXPECT_FALSE(MeanRequestOf(requests));
}

TEST(Requests, ASteadyFlowTellsTheMeanThatBoundsDoNot) {
  Requests requests;
  for (int64_t second = 1; second <= 9; ++second) {
    requests.samples.push_back({.at_ns = second * 1'000'000'000,
                                .started = 80,
                                .finished = 80,
                                .total_ns = 40'000'000'000,
                                .fewest = 40});
  }
  requests.samples[0].finished = 40;
  requests.started = 720;
  requests.finished = 680;
  requests.total_ns = 360'000'000'000;
  std::optional<MeanRequest> mean = MeanRequestOf(requests);
  ASSERT_TRUE(mean);
  EXPECT_FALSE(mean->is_known());
  EXPECT_EQ(mean->about_ns, 500'000'000u);

  for (size_t i = 6; i < 9; ++i) requests.samples[i].total_ns *= 2;  // they pile up
  EXPECT_FALSE(MeanRequestOf(requests)->about_ns);
}

// As many are in progress as the last packet says.
TEST(Requests, ThoseThatBeganBeforeAreCountedOnce) {
  const auto model = ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "requests" } }
    packet { time_delta_ns: 1000000000 request_counts { interval_ns: 1000000000 started: 10
             finished: 12 busy_ns: 20000000 in_flight: 5 } }
    packet { time_delta_ns: 1000000000 request_counts { interval_ns: 1000000000 started: 20
             finished: 22 busy_ns: 20000000 in_flight: 3 } })");
  EXPECT_EQ(model->requests.began_before, 7u);
  EXPECT_EQ(model->requests.in_progress(), 3u);

  // All of them end before it is known how many there were.
  const auto ended = ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "requests" } }
    packet { time_delta_ns: 1000000000 request_counts { interval_ns: 1000000000 started: 10
             finished: 13 busy_ns: 20000000 } })");
  EXPECT_EQ(ended->requests.began_before, 3u);
  EXPECT_EQ(ended->requests.in_progress(), 0u);
}

TEST(Requests, TheTimelineHasTheirRateAndHowManyAreInProgress) {
  const auto model = ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "requests" } }
    packet { time_delta_ns: 1000000000 request_counts { interval_ns: 1000000000 started: 10
             finished: 10 busy_ns: 20000000 } }
    packet { time_delta_ns: 1000000000 request_counts { interval_ns: 1000000000 started: 20
             finished: 20 busy_ns: 20000000 } })");
  const Timeline timeline = BuildTimeline(*model, {.parts = 2});
  ASSERT_EQ(timeline.series.size(), 2u);
  EXPECT_EQ(timeline.series[0].kind, TimelineSeries::Kind::kRequests);
  EXPECT_DOUBLE_EQ(timeline.series[0].values[0], 10);
  EXPECT_DOUBLE_EQ(timeline.series[0].values[1], 20);
  EXPECT_EQ(timeline.series[1].kind, TimelineSeries::Kind::kInProgress);
  EXPECT_DOUBLE_EQ(timeline.series[1].values[0], 0.02);
  EXPECT_DOUBLE_EQ(timeline.series[1].values[1], 0.02);
}

}  // namespace
}  // namespace hindsight::analyzer
