#include "recorder/sources/requests/request_packets.h"

#include <algorithm>

#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

RequestCounts RequestPackets::Look() {
  RequestCounts all;
  ThreadTracks::Instance().ForEach(recording_, [&](ThreadTrack& track) {
    track.requests.Read(track.read_requests);
    all += track.read_requests;
  });
  fewest_in_flight_ = std::min(fewest_in_flight_, InFlight(all));
  return all;
}

uint64_t RequestPackets::InFlight(const RequestCounts& counts) const {
  const uint64_t begun = counts.started + (before_ ? before_->in_flight : 0);
  return begun - std::min(begun, counts.finished);
}

uint64_t RequestPackets::TimeOf(const RequestCounts& counts, uint64_t now_ns) const {
  uint64_t time_ns = counts.balance_ns + (counts.started - counts.finished) * now_ns;
  if (before_) time_ns += before_->in_flight * (now_ns - before_->since_ns);
  return time_ns;
}

// A request may be counted in one place and not yet in the other. So two looks in a row have to
// give the same difference.
std::optional<ServerCount> RequestPackets::AskServer(uint64_t since_ns, uint64_t now_ns) {
  std::optional<ServerCount> server = server_(now_ns);
  std::optional<std::pair<uint64_t, uint64_t>> difference;
  constexpr int kAttempts = 4;
  for (int attempt = 0; server && !before_ && attempt < kAttempts; ++attempt) {
    const RequestCounts counts = Look();
    const uint64_t started = server->started - std::min(server->started, counts.started);
    const uint64_t ended = server->in_flight + counts.finished;
    const uint64_t in_flight = ended - std::min(ended, counts.started);
    if (difference == std::pair(started, in_flight)) {
      // If the server has begun to count with this recording, all errors are the recording's.
      // Otherwise only those that came with an exception are known to be.
      const bool is_first = started == 0 && in_flight == 0;
      const uint64_t errors =
          is_first ? 0 : server->errors - std::min(server->errors, counts.failed);
      before_ = Before{in_flight, since_ns, errors};
      return server;
    }
    difference = {started, in_flight};
    server = server_(now_ns);
  }
  return before_ ? server : std::nullopt;
}

bool RequestPackets::HasNews(uint64_t now_ns) {
  const RequestCounts now = Look();
  if (now != written_.counts || written_.lacks_errors) return true;
  if (InFlight(written_.counts) == 0) written_.at_ns = now_ns;
  return false;
}

void RequestPackets::Write(uint64_t now_ns, PacketWriter& packets) {
  const RequestCounts now = Look();
  const RequestCounts& reported = written_.counts;
  const uint64_t since_ns = written_.at_ns != 0 ? written_.at_ns : now_ns;
  RequestSums sums{now, now_ns, 0, written_.server_errors, written_.lacks_errors};
  // Threads are read one after another while requests continue, so the sum can be off by the time
  // that takes; the next one corrects it.
  const auto add_up = [&] {
    const auto time_ns = static_cast<int64_t>(TimeOf(now, now_ns));
    sums.time_ns = std::max<int64_t>(time_ns, static_cast<int64_t>(written_.time_ns));
  };
  add_up();
  if (now != reported || sums.time_ns != written_.time_ns || written_.lacks_errors) {
    const bool knew_before = before_.has_value();
    const std::optional<ServerCount> server = AskServer(since_ns, now_ns);
    if (server) {
      const uint64_t counted = server->errors - std::min(server->errors, before_->errors);
      sums.server_errors = std::max(sums.server_errors, counted);
      if (!knew_before) add_up();
    }
    sums.lacks_errors = before_ && !server;
    packets.Write(wire::Packet::kRequestCounts, now_ns, [&](auto& counts) {
      counts.Set(counts.kIntervalNs, now_ns - since_ns);
      counts.Set(counts.kStarted, now.started - reported.started);
      counts.Set(counts.kFinished, now.finished - reported.finished);
      if (now.failed != reported.failed) counts.Set(counts.kFailed, now.failed - reported.failed);
      counts.Set(counts.kBusyNs, sums.time_ns - written_.time_ns);
      if (const uint64_t in_flight = InFlight(now)) counts.Set(counts.kInFlight, in_flight);
      counts.Set(counts.kFewestInFlight, fewest_in_flight_);
      if (server) counts.Set(counts.kServerErrors, sums.server_errors - written_.server_errors);
    });
  }
  open_ = sums;
}

}  // namespace hindsight::recorder
