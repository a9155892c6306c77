#include "analyzer/analyses/mean_request.h"

#include <algorithm>
#include <utility>

#include "analyzer/analyses/request_flow.h"

namespace hindsight::analyzer {
namespace {

// The time that some of the requests took in this recording, within bounds.
struct TimeBounds {
  double least_ns = 0, most_ns = 0;
};

// Of those in progress at the end. Each was also one of those in progress at any time since its
// start: there were at most as many as the fewest of later samples. And together they took at least
// the time of the last that began.
TimeBounds UnfinishedTime(const Requests& requests) {
  TimeBounds time;
  uint64_t fewest = requests.in_progress(), now = fewest, last = fewest;
  const int64_t end_ns = requests.samples.empty() ? 0 : requests.samples.back().at_ns;
  for (size_t i = requests.samples.size(); i-- > 0 && fewest + last > 0;) {
    const RequestSample& sample = requests.samples[i];
    fewest = std::min(fewest, now);
    const int64_t from_ns = i == 0 ? 0 : requests.samples[i - 1].at_ns;
    time.most_ns += static_cast<double>(fewest) *
                    static_cast<double>(std::max<int64_t>(0, sample.at_ns - from_ns));
    fewest = std::min(fewest, sample.fewest.value_or(fewest));
    now = now + sample.finished - std::min(now + sample.finished, sample.started);
    const uint64_t began = std::min(last, sample.started);
    time.least_ns += static_cast<double>(began) * static_cast<double>(end_ns - sample.at_ns);
    last -= began;
  }
  return time;
}

// Of those in progress at the start, likewise: at least the time until as many have ended.
TimeBounds EarlierTime(const Requests& requests) {
  TimeBounds time;
  uint64_t fewest = requests.began_before, now = fewest, first = fewest;
  int64_t from_ns = 0;
  for (const RequestSample& sample : requests.samples) {
    if (fewest + first == 0) break;
    const int64_t since_ns = std::exchange(from_ns, sample.at_ns);
    const auto length_ns = static_cast<double>(std::max<int64_t>(0, sample.at_ns - since_ns));
    time.most_ns += static_cast<double>(fewest) * length_ns;
    now = now + sample.started - std::min(now + sample.started, sample.finished);
    fewest = std::min({fewest, now, sample.fewest.value_or(fewest)});
    first -= std::min(first, sample.finished);
    time.least_ns += static_cast<double>(first) * length_ns;
  }
  return time;
}

// By Little's law, where as many came and went in the middle of the time as at its end.
std::optional<uint64_t> MeanOfSteadyFlow(const Requests& requests) {
  if (requests.samples.empty()) return std::nullopt;
  constexpr double kSteady = 1.25;
  const int64_t end_ns = requests.samples.back().at_ns, third_ns = end_ns / 3;
  const RequestFlow middle = FlowOf(requests, third_ns, end_ns - third_ns);
  const RequestFlow last = FlowOf(requests, end_ns - third_ns, end_ns);
  const auto is_steady = [](double a, double b) {
    return std::max(a, b) <= kSteady * std::min(a, b);
  };
  const bool fits = last.seconds_each() * 1e9 < static_cast<double>(third_ns);
  if (last.finished <= 0 || !fits || !is_steady(middle.in_progress, last.in_progress) ||
      !is_steady(middle.finished, last.finished)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(last.seconds_each() * 1e9);
}

}  // namespace

bool MeanRequest::is_known() const {
  constexpr double kClose = 0.9;
  return static_cast<double>(least_ns) >= kClose * static_cast<double>(most_ns);
}

std::optional<MeanRequest> MeanRequestOf(const Requests& requests) {
  // Of those that also began here.
  const uint64_t finished = requests.finished - std::min(requests.finished, requests.began_before);
  if (finished == 0) return std::nullopt;
  const TimeBounds unfinished = UnfinishedTime(requests), earlier = EarlierTime(requests);
  const auto mean = [&](double others_ns) {
    const double total_ns = static_cast<double>(requests.total_ns) - others_ns;
    return static_cast<uint64_t>(std::max(0.0, total_ns) / static_cast<double>(finished));
  };
  MeanRequest result{mean(unfinished.most_ns + earlier.most_ns),
                     mean(unfinished.least_ns + earlier.least_ns)};
  if (!result.is_known()) result.about_ns = MeanOfSteadyFlow(requests);
  return result;
}

}  // namespace hindsight::analyzer
