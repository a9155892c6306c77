// Source `requests`, on the drain thread: the counts of all threads become one packet per segment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/stream/request_tally.h"

namespace hindsight::recorder {

class RequestPackets final : public PacketSource {
 public:
  // Requests that the process has answered with a server error; nullopt: not known now. See
  // server_errors.h. Called only once a request has been counted.
  using ServerErrorCount = std::function<std::optional<uint64_t>(uint64_t now_ns)>;

  RequestPackets(uint64_t recording, ServerErrorCount server_errors)
      : recording_(recording), server_errors_(std::move(server_errors)) {}

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
    fewest_in_flight_ = written_.counts.in_flight();
  }

 private:
  // The counts now; how many are in flight counts as seen.
  RequestCounts Look();

  const uint64_t recording_;
  const ServerErrorCount server_errors_;
  // Server errors before the recording, if another tool had the server count them: what is more
  // than all requests that have ended when they are read first. nullopt: not read yet.
  std::optional<uint64_t> errors_before_;
  struct RequestSums {
    RequestCounts counts;
    uint64_t at_ns = 0;    // 0: not begun
    uint64_t time_ns = 0;  // total time of all requests so far
    uint64_t server_errors = 0;
    bool lacks_errors = false;  // they were known before, but not when these sums were made
  };
  RequestSums written_, open_;     // in the recording; in the open segment
  uint64_t fewest_in_flight_ = 0;  // since what has been written
};

}  // namespace hindsight::recorder
