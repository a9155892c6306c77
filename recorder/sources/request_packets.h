// Source `requests`, on the drain thread: what all threads have counted becomes a packet a segment.
#pragma once

#include <cstdint>

#include "recorder/encode/packet_writer.h"
#include "recorder/stream/request_tally.h"

namespace hindsight::recorder {

class RequestPackets {
 public:
  explicit RequestPackets(uint64_t recording) : recording_(recording) {}

  // Whether there is something to tell. Requests in flight alone are no news: a server whose
  // clients only wait must not fill the disk. To be asked often: while there is nothing, the next
  // interval has not begun.
  bool HasNews(uint64_t now_ns);
  // One packet with everything since the last one, if there is anything.
  void Write(uint64_t now_ns, PacketWriter& packets);
  // What became of the segment with it: if it was not written, the next one tells all of it.
  void SegmentEnded(bool written) {
    if (written) told_ = telling_;
  }

 private:
  RequestCounts Count() const;

  const uint64_t recording_;
  struct Told {
    RequestCounts counts;
    uint64_t at_ns = 0;    // 0: not begun
    uint64_t time_ns = 0;  // that all requests together had taken
  };
  Told told_, telling_;  // in the recording; in the segment that is open
};

}  // namespace hindsight::recorder
