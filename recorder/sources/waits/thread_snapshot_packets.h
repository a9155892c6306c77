// Source `waits`, on the drain thread: writes thread snapshots as packets.
#pragma once

#include "recorder/encode/dictionaries.h"
#include "recorder/sources/source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class ThreadSnapshotPackets final : public Source {
 public:
  ThreadSnapshotPackets(Dictionaries& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  Dictionaries& dictionaries_;
  ThreadRoster& threads_;
};

}  // namespace hindsight::recorder
