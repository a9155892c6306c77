// A source's drain side: turns its events into packets.
//
// One pair of files per source. Its callback methods run on the application's threads (the profiler
// shim calls them) and only write events to rings; everything below runs on the drain thread.
// Adding a source: its files, a line in the catalogue (recorder/contract/catalogue.cc), a line in
// Session, its callbacks in Profiler.
#pragma once

#include "recorder/stream/event.h"

namespace hindsight::recorder {

class PacketWriter;

class Source {
 public:
  virtual ~Source() = default;

  // Turns one event of this source into packets. Events are ordered by time over all threads, to
  // within a millisecond.
  virtual void Consume(const EventHeader& event, PacketWriter& packets) = 0;

  // The segment is about to be written: what is held back must be written now.
  virtual void Flush(PacketWriter&) {}
};

}  // namespace hindsight::recorder
