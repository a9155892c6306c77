// Source `waits`, on the drain thread: writes thread snapshots as packets.
#pragma once

#include <span>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class ThreadSnapshotPackets final : public PacketSource {
 public:
  ThreadSnapshotPackets(DictionaryWriter& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kThreadSnapshot, EventKind::kThreadState};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
};

}  // namespace hindsight::recorder
