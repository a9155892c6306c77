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
  fewest_in_flight_ = std::min(fewest_in_flight_, all.in_flight());
  return all;
}

bool RequestPackets::HasNews(uint64_t now_ns) {
  const RequestCounts now = Look();
  if (now != written_.counts || written_.lacks_errors) return true;
  if (written_.counts.in_flight() == 0) written_.at_ns = now_ns;
  return false;
}

void RequestPackets::Write(uint64_t now_ns, PacketWriter& packets) {
  const RequestCounts now = Look();
  const RequestCounts& reported = written_.counts;
  // Threads are read one after another while requests continue, so the sum can be off by the time
  // that takes; the next one corrects it.
  const auto time_ns = static_cast<int64_t>(now.balance_ns + (now.started - now.finished) * now_ns);
  const uint64_t all_ns = std::max<int64_t>(time_ns, static_cast<int64_t>(written_.time_ns));
  const uint64_t since_ns = written_.at_ns != 0 ? written_.at_ns : now_ns;
  RequestSums sums{now, now_ns, all_ns, written_.server_errors, written_.lacks_errors};
  if (now != reported || all_ns != written_.time_ns || written_.lacks_errors) {
    const std::optional<uint64_t> errors = server_errors_(now_ns);
    if (errors) {
      if (!errors_before_) errors_before_ = *errors - std::min(*errors, now.finished);
      const uint64_t counted = *errors - std::min(*errors, *errors_before_);
      sums.server_errors = std::max(sums.server_errors, counted);
    }
    sums.lacks_errors = errors_before_ && !errors;
    packets.Write(wire::Packet::kRequestCounts, now_ns, [&](auto& counts) {
      counts.Set(counts.kIntervalNs, now_ns - since_ns);
      counts.Set(counts.kStarted, now.started - reported.started);
      counts.Set(counts.kFinished, now.finished - reported.finished);
      if (now.failed != reported.failed) counts.Set(counts.kFailed, now.failed - reported.failed);
      counts.Set(counts.kBusyNs, all_ns - written_.time_ns);
      if (now.in_flight() != 0) counts.Set(counts.kInFlight, now.in_flight());
      counts.Set(counts.kFewestInFlight, fewest_in_flight_);
      if (errors) counts.Set(counts.kServerErrors, sums.server_errors - written_.server_errors);
    });
  }
  open_ = sums;
}

}  // namespace hindsight::recorder
