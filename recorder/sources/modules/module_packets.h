// Source `modules`, on the drain thread.
#pragma once

#include <span>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"

namespace hindsight::recorder {

class ModulePackets final : public PacketSource {
 public:
  explicit ModulePackets(DictionaryWriter& dictionaries) : dictionaries_(dictionaries) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kModuleLoaded, EventKind::kModuleUnloaded};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  DictionaryWriter& dictionaries_;
};

}  // namespace hindsight::recorder
