// A source's drain side: turns its events into packets. Everything here runs on the drain thread.
//
// The other side runs on the application's threads, or on one of its own, and only writes events to
// rings. Both are in the source's folder; CONTRIBUTING.md says how to add one.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/stream/event.h"

namespace hindsight::recorder {

class PacketWriter;

// Longest time between two samples of a packet, which may be long if the process was stopped:
// microseconds of more than 35 minutes do not fit into 32 bits.
inline constexpr uint64_t kMaxPacketGapNs = 1'000'000'000'000;

class PacketSource {
 public:
  virtual ~PacketSource() = default;

  // The events that it consumes. Called once.
  virtual std::span<const EventKind> Kinds() const { return {}; }
  // Turns one of them into packets. Events are ordered by time over all threads, to within a
  // millisecond.
  virtual void Consume(const EventHeader&, PacketWriter&) {}

  // Whether something that must be written at once has arrived since the last call.
  virtual bool TakeUrgent() { return false; }
  // Whether there is something to write at the end of a segment that did not arrive as an event.
  virtual bool HasNews() { return false; }
  // The segment is about to be written: what is held back must be written now.
  virtual void Flush(PacketWriter&) {}
  // Whether the segment is on disk.
  virtual void SegmentEnded(bool /*written*/) {}
  // A new file has begun, in which nothing of the previous one is known.
  virtual void StartFile() {}
  // The next flush is the last one.
  virtual void WillEnd() {}

  // On the heap; what the threads' rings and tables take is counted elsewhere.
  virtual uint64_t memory_bytes() const { return 0; }
};

}  // namespace hindsight::recorder
