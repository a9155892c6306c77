// Source `modules`, on the drain thread.
#pragma once

#include "recorder/encode/dictionaries.h"
#include "recorder/sources/source.h"

namespace hindsight::recorder {

class ModulePackets final : public Source {
 public:
  explicit ModulePackets(Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  Dictionaries& dictionaries_;
};

}  // namespace hindsight::recorder
