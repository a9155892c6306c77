#include "analyzer/analyses/request_flow.h"

#include <utility>

namespace hindsight::analyzer {

RequestFlow FlowOf(const Requests& requests, int64_t from_ns, int64_t to_ns) {
  RequestFlow flow;
  int64_t before_ns = from_ns, ns = 0;
  for (const RequestSample& sample : requests.samples) {
    const int64_t since_ns = std::exchange(before_ns, sample.at_ns);
    if (sample.at_ns <= from_ns || sample.at_ns > to_ns) continue;
    ns += sample.at_ns - since_ns;
    flow.in_progress += static_cast<double>(sample.total_ns);
    flow.started += static_cast<double>(sample.started);
    flow.finished += static_cast<double>(sample.finished);
  }
  const auto length_ns = static_cast<double>(std::max<int64_t>(1, ns));
  flow.in_progress /= length_ns;
  flow.started /= length_ns / 1e9;
  flow.finished /= length_ns / 1e9;
  return flow;
}

}  // namespace hindsight::analyzer
