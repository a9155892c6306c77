#include "analyzer/reader/request_builder.h"

#include <algorithm>

namespace hindsight::analyzer {
namespace {

// In one packet: more than any server handles.
constexpr uint64_t kMaxCount = uint64_t{1} << 40;
constexpr uint64_t kMaxNs = uint64_t{1} << 50;
// How often the runtime reports durations.
constexpr int64_t kDurationsEveryNs = 1'000'000'000;

void Add(uint64_t& sum, uint64_t value) {
  sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
}

void Merge(RequestSample& into, const RequestSample& next) {
  into.at_ns = next.at_ns;
  Add(into.started, next.started);
  Add(into.finished, next.finished);
  Add(into.failed, next.failed);
  Add(into.total_ns, next.total_ns);
  if (next.fewest) into.fewest = std::min(into.fewest.value_or(*next.fewest), *next.fewest);
}

// Durations of which three quantiles are known: assumes that they are spread evenly between these.
void AddQuantiles(const RequestDurations& packet, uint64_t count, Histogram& durations) {
  constexpr uint64_t kMostParts = 128;
  const auto bounded = [](uint64_t ns) { return static_cast<double>(std::min(ns, kMaxNs)); };
  const double p50 = bounded(packet.p50_ns());
  const double p95 = std::max(p50, bounded(packet.p95_ns()));
  const double p99 = std::max(p95, bounded(packet.p99_ns()));
  // Assumes that the minimum is below the median by the same factor as p95 is above it.
  const double least = p95 > 0 ? p50 * p50 / p95 : p50;
  const auto between = [](double share, double from, double to) {
    return from + (to - from) * std::min(1.0, share);
  };
  const uint64_t parts = std::min(count, kMostParts);
  for (uint64_t i = 0; i < parts; ++i) {
    const double rank = (static_cast<double>(i) + 0.5) / static_cast<double>(parts);
    const double ns = rank < 0.5    ? between(rank / 0.5, least, p50)
                      : rank < 0.95 ? between((rank - 0.5) / 0.45, p50, p95)
                                    : between((rank - 0.95) / 0.04, p95, p99);
    durations.Add(static_cast<uint64_t>(ns), (i + 1) * count / parts - i * count / parts);
  }
}

}  // namespace

RequestKind* RequestBuilder::KindOf(RequestKind::Side side, std::string_view tags) {
  const auto [place, is_new] =
      kinds_.try_emplace({side, std::string(tags)}, requests_.kinds.size());
  if (!is_new) return &requests_.kinds[place->second];
  if (requests_.kinds.size() == Requests::kMaxKinds) {
    kinds_.erase(place);
    requests_.lacks_kinds = true;
    return nullptr;
  }
  RequestKind& kind = requests_.kinds.emplace_back();
  kind.side = side;
  kind.tags = tags;
  return &kind;
}

void RequestBuilder::On(const RequestDurations& packet, std::string_view tags, int64_t time_ns) {
  if (packet.notice() == RequestDurations::TOO_MANY_KINDS) requests_.lacks_kinds = true;
  if (packet.notice() == RequestDurations::OTHER_SESSION) requests_.is_refused = true;
  if (packet.notice() == RequestDurations::LISTENING && !requests_.kinds_from_ns) {
    requests_.kinds_from_ns = time_ns;
  }
  const bool is_served = packet.instrument() == RequestDurations::SERVER;
  if (!is_served && packet.instrument() != RequestDurations::CLIENT) return;
  RequestKind* kind =
      KindOf(is_served ? RequestKind::Side::kServed : RequestKind::Side::kMade, tags);
  if (kind == nullptr) return;
  const uint64_t count = std::min(packet.count(), kMaxCount);
  const uint64_t total_ns = std::min(packet.total_ns(), kMaxNs);
  Add(kind->count, count);
  Add(kind->total_ns, total_ns);
  kind->counts.AddEvenly(time_ns - kDurationsEveryNs, time_ns, count);
  kind->times.AddEvenly(time_ns - kDurationsEveryNs, time_ns, total_ns);
  AddQuantiles(packet, count, kind->durations);
  const uint64_t slow_ns = std::min(packet.p99_ns(), kMaxNs);
  if (slow_ns <= kind->slowest_ns) return;
  kind->slowest_ns = slow_ns;
  kind->slowest_at_ns = time_ns;
}

void RequestBuilder::On(const RequestCounts& packet, int64_t time_ns) {
  RequestSample row = {.at_ns = time_ns,
                       .started = std::min(packet.started(), kMaxCount),
                       .finished = std::min(packet.finished(), kMaxCount),
                       .failed = std::min(packet.failed(), kMaxCount),
                       .total_ns = std::min(packet.busy_ns(), kMaxNs)};
  if (packet.has_fewest_in_flight()) row.fewest = packet.fewest_in_flight();
  Add(requests_.started, row.started);
  Add(requests_.finished, row.finished);
  Add(requests_.failed, row.failed);
  // More than are known to have begun: they had before, and that is known only now; or in a file
  // that is missing.
  const uint64_t begun = requests_.finished + std::min(packet.in_flight(), kMaxCount);
  const uint64_t known = requests_.started + requests_.began_before;
  if (begun > known) Add(requests_.began_before, begun - known);
  Add(requests_.total_ns, row.total_ns);
  if (packet.has_server_errors()) {
    uint64_t errors = requests_.server_errors.value_or(0);
    Add(errors, std::min(packet.server_errors(), kMaxCount));
    if (packet.server_errors() > 0) requests_.last_error_ns = time_ns;
    requests_.server_errors = errors;
  }
  // If nothing was reported for a while, nothing happened: a separate row says so.
  const int64_t from_ns = time_ns - static_cast<int64_t>(std::min(packet.interval_ns(), kMaxNs));
  const int64_t last_ns = requests_.samples.empty() ? 0 : requests_.samples.back().at_ns;
  if (from_ns > last_ns) Append({.at_ns = from_ns});
  Append(row);
}

void RequestBuilder::Append(const RequestSample& row) {
  if (requests_.samples.size() == Requests::kMaxRows) Halve();
  requests_.samples.push_back(row);
}

// Merges pairs of neighbors. Later rows are shorter until the rows are full again.
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
