// Source `requests`, on the drain thread: the counts of all threads become one packet per segment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/requests/server_counts.h"
#include "recorder/stream/request_tally.h"

namespace hindsight::recorder {

class RequestPackets final : public PacketSource {
 public:
  // What the server counts; nullopt: not known now. Called only once a request has been counted.
  using CountOfServer = std::function<std::optional<ServerCount>(uint64_t now_ns)>;

  RequestPackets(uint64_t recording, CountOfServer server)
      : recording_(recording), server_(std::move(server)) {}

  // Whether there is something to report. Requests in flight alone are not: a server whose clients
  // only wait must not fill the disk. Call it often: as long as it returns false, the next interval
  // has not begun.
  bool HasNews(uint64_t now_ns);
  bool HasNews() override { return HasNews(MonotonicNs()); }
  // One packet with everything since the last one, if there is anything.
  void Write(uint64_t now_ns, PacketWriter& packets);
  void Flush(PacketWriter& packets) override { Write(MonotonicNs(), packets); }
  // Whether the segment with it was written; if not, the next packet repeats its content.
  void SegmentEnded(bool written) override {
    if (!written) return;
    written_ = open_;
    fewest_in_flight_ = InFlight(written_.counts);
  }

 private:
  // Of what the server counted, what was before the recording. It did if another tool, or an
  // earlier recording, listened.
  struct Before {
    uint64_t in_flight = 0;  // requests that had begun: their ends are counted here
    uint64_t since_ns = 0;   // from when on their time counts
    uint64_t errors = 0;
  };
  struct RequestSums {
    RequestCounts counts;
    uint64_t at_ns = 0;    // 0: not begun
    uint64_t time_ns = 0;  // total time of all requests so far
    uint64_t server_errors = 0;
    bool lacks_errors = false;  // they were known before, but not when these sums were made
  };

  // The counts now; how many are in flight counts as seen.
  RequestCounts Look();
  uint64_t InFlight(const RequestCounts& counts) const;
  // Total time of all requests up to `now_ns`.
  uint64_t TimeOf(const RequestCounts& counts, uint64_t now_ns) const;
  // The server's count, and what of it was before the recording, if that is not known yet.
  std::optional<ServerCount> AskServer(uint64_t since_ns, uint64_t now_ns);

  const uint64_t recording_;
  const CountOfServer server_;
  std::optional<Before> before_;   // nullopt: not known yet
  RequestSums written_, open_;     // in the recording; in the open segment
  uint64_t fewest_in_flight_ = 0;  // since what has been written
};

}  // namespace hindsight::recorder
