// Sources `exceptions` and `locks`, on the drain thread: what threads have only counted (see
// stream/tally.h) becomes packets, once per segment.
//
// A count becomes final when its segment is on disk; until then it is repeated, so the sum over a
// recording is exact, whatever was lost in between. The name of a type that may have been unloaded
// since its last throw is not looked up.
#pragma once

#include <cstdint>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/encode/dictionary_writer.h"
#include "recorder/encode/packet_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"
#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

class TallyPackets final : public PacketSource {
 public:
  TallyPackets(uint64_t recording, DictionaryWriter& dictionaries, ThreadRoster& threads)
      : recording_(recording), dictionaries_(dictionaries), threads_(threads) {}

  bool HasNews() override;
  // What was counted since the last segment that was written.
  void Write(uint64_t now_ns, PacketWriter& packets);
  void Flush(PacketWriter& packets) override { Write(MonotonicNs(), packets); }
  // From then on, counts also include throws in flight that would be recorded in detail if they
  // were unhandled.
  void WillEnd() override { reports_all_ = true; }
  uint64_t throws() const { return throws_; }  // written so far
  void SegmentEnded(bool written) override;

 private:
  struct Reported {
    Tally* tally;
    TallyRow* row;
    TallyCounts counts;
  };

  void WriteThrows(const TallyKey& key, const TallyCounts& reported, const TallyCounts& counts,
                   uint32_t thread, PacketWriter& packets);
  void WriteWaits(const TallyKey& key, const TallyCounts& reported, const TallyCounts& counts,
                  uint32_t thread, PacketWriter& packets);

  const uint64_t recording_;
  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
  std::vector<Reported> reported_;  // in the open segment
  uint64_t throws_ = 0;             // confirmed
  uint64_t new_throws_ = 0;         // in the open segment
  bool reports_all_ = false;
  uint64_t now_ns_ = 0, last_ns_ = 0, written_ns_ = 0;
};

}  // namespace hindsight::recorder
