#include "analyzer/reader/request_builder.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

// Of one packet: more than any server serves.
constexpr uint64_t kMaxCount = uint64_t{1} << 40;
constexpr uint64_t kMaxNs = uint64_t{1} << 50;

void Add(uint64_t& sum, uint64_t value) {
  sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
}

void Merge(RequestSample& into, const RequestSample& next) {
  into.at_ns = next.at_ns;
  Add(into.started, next.started);
  Add(into.finished, next.finished);
  Add(into.failed, next.failed);
  Add(into.total_ns, next.total_ns);
}

}  // namespace

void RequestBuilder::On(const RequestCounts& packet, int64_t time_ns) {
  const RequestSample row = {.at_ns = time_ns,
                             .started = std::min(packet.started(), kMaxCount),
                             .finished = std::min(packet.finished(), kMaxCount),
                             .failed = std::min(packet.failed(), kMaxCount),
                             .total_ns = std::min(packet.busy_ns(), kMaxNs)};
  Add(requests_.started, row.started);
  Add(requests_.finished, row.finished);
  Add(requests_.failed, row.failed);
  Add(requests_.total_ns, row.total_ns);
  // Where nothing was told for a while, nothing happened: a row of its own says so.
  const int64_t from_ns = time_ns - static_cast<int64_t>(std::min(packet.interval_ns(), kMaxNs));
  const int64_t last_ns = requests_.samples.empty() ? 0 : requests_.samples.back().at_ns;
  if (from_ns > last_ns) Append({.at_ns = from_ns});
  Append(row);
}

void RequestBuilder::Append(const RequestSample& row) {
  if (requests_.samples.size() == Requests::kMaxRows) Halve();
  requests_.samples.push_back(row);
}

// Two neighbors become one. What came later is shorter until the rows are full again.
void RequestBuilder::Halve() {
  std::vector<RequestSample>& rows = requests_.samples;
  for (size_t i = 0; i < rows.size() / 2; ++i) {
    rows[i] = rows[2 * i];
    Merge(rows[i], rows[2 * i + 1]);
  }
  rows.resize(rows.size() / 2);
}

void RequestBuilder::Finish() {
  std::stable_sort(
      requests_.samples.begin(), requests_.samples.end(),
      [](const RequestSample& a, const RequestSample& b) { return a.at_ns < b.at_ns; });
}

}  // namespace hindsight::analyzer
