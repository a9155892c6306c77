// A signal: what it does in the runtime's callbacks, and what it makes of its events afterwards.
//
// One file a source. Its callback methods run on the application's threads (the profiler shim calls
// them) and only put events into rings; everything below runs on the drain thread. Adding a source:
// its file, a line in the catalogue (recorder/contract/catalogue.cc), a line in Session, its
// callbacks in Profiler.
#pragma once

#include "recorder/stream/event.h"

namespace hindsight::recorder {

class PacketWriter;

class Source {
 public:
  virtual ~Source() = default;

  // Turns one event of this source into packets. Events come ordered by time over all threads, but
  // for a millisecond's disorder.
  virtual void Consume(const EventHeader& event, PacketWriter& packets) = 0;

  // The segment is about to be written: what is held back has to be told now.
  virtual void Flush(PacketWriter&) {}
};

}  // namespace hindsight::recorder
