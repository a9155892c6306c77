// The call that ends the process, on the drain thread.
#pragma once

#include <span>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class ExitCallPackets final : public PacketSource {
 public:
  ExitCallPackets(DictionaryWriter& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kExitCalled};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
};

}  // namespace hindsight::recorder
