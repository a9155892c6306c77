// Source `modules`, on the drain thread.
#pragma once

#include <span>

#include "recorder/encode/dictionaries.h"
#include "recorder/sources/source.h"

namespace hindsight::recorder {

class ModulePackets final : public Source {
 public:
  explicit ModulePackets(Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kModuleLoaded, EventKind::kModuleUnloaded};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  Dictionaries& dictionaries_;
};

}  // namespace hindsight::recorder
