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
  if (Count() != told_) return true;
  if (told_.in_flight() == 0) told_ns_ = now_ns;
  return false;
}

void RequestPackets::Write(uint64_t now_ns, PacketWriter& packets) {
  const RequestCounts now = Count();
  // Threads are read one after another while requests go on, so the sum can be off by the time that
  // takes; the next one makes up for it.
  const auto time_ns = static_cast<int64_t>(now.balance_ns + (now.started - now.finished) * now_ns);
  const uint64_t all_ns = std::max<int64_t>(time_ns, static_cast<int64_t>(told_time_ns_));
  const uint64_t since_ns = told_ns_ != 0 ? told_ns_ : now_ns;
  if (now != told_ || all_ns != told_time_ns_) {
    packets.Write(PacketField::kRequestCounts, now_ns, [&](ProtoWriter& counts) {
      counts.Uint(1, now_ns - since_ns);
      counts.Uint(2, now.started - told_.started);
      counts.Uint(3, now.finished - told_.finished);
      if (now.failed != told_.failed) counts.Uint(4, now.failed - told_.failed);
      counts.Uint(5, all_ns - told_time_ns_);
      if (now.in_flight() != 0) counts.Uint(6, now.in_flight());
    });
  }
  told_ = now;
  told_ns_ = now_ns;
  told_time_ns_ = all_ns;
}

}  // namespace hindsight::recorder
