// Sources `modules` and `gc` (of the compiler), on the drain thread: their events become packets
// one to one.
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
