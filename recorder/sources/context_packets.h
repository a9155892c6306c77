// Sources `modules` and `gc` (its compiler events), on the drain thread: each event becomes one
// packet.
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

class CompilerPackets final : public Source {
 public:
  void Consume(const EventHeader& event, PacketWriter& packets) override;
};

}  // namespace hindsight::recorder
