#include "recorder/sources/request_packets.h"

#include <algorithm>

#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

RequestCounts RequestPackets::Count() const {
  RequestCounts all;
  ThreadTracks::Instance().ForEach(recording_, [&](ThreadTrack& track) {
    track.requests.Read(track.read_requests);
    all += track.read_requests;
  });
  return all;
}

bool RequestPackets::HasNews(uint64_t now_ns) {
  if (Count() != told_.counts) return true;
  if (told_.counts.in_flight() == 0) told_.at_ns = now_ns;
  return false;
}

void RequestPackets::Write(uint64_t now_ns, PacketWriter& packets) {
  const RequestCounts now = Count();
  const RequestCounts& told = told_.counts;
  // Threads are read one after another while requests continue, so the sum can be off by the time
  // that takes; the next one corrects it.
  const auto time_ns = static_cast<int64_t>(now.balance_ns + (now.started - now.finished) * now_ns);
  const uint64_t all_ns = std::max<int64_t>(time_ns, static_cast<int64_t>(told_.time_ns));
  const uint64_t since_ns = told_.at_ns != 0 ? told_.at_ns : now_ns;
  if (now != told || all_ns != told_.time_ns) {
    packets.Write(PacketField::kRequestCounts, now_ns, [&](ProtoWriter& counts) {
      counts.Uint(1, now_ns - since_ns);
      counts.Uint(2, now.started - told.started);
      counts.Uint(3, now.finished - told.finished);
      if (now.failed != told.failed) counts.Uint(4, now.failed - told.failed);
      counts.Uint(5, all_ns - told_.time_ns);
      if (now.in_flight() != 0) counts.Uint(6, now.in_flight());
    });
  }
  telling_ = {now, now_ns, all_ns};
}

}  // namespace hindsight::recorder
