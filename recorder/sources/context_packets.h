// Sources `modules`, `gc` (its compiler events) and `cpu` (what was inlined), on the drain thread.
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

// Writes nothing: the dictionaries tell of it where it was sampled.
class InliningTracker final : public Source {
 public:
  explicit InliningTracker(Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  Dictionaries& dictionaries_;
};

}  // namespace hindsight::recorder
