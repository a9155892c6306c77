// Source `cpu`, on the drain thread: what was inlined. Writes nothing: the dictionaries tell of it
// where it was sampled.
#pragma once

#include "recorder/encode/dictionaries.h"
#include "recorder/sources/source.h"

namespace hindsight::recorder {

class InliningTracker final : public Source {
 public:
  explicit InliningTracker(Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  Dictionaries& dictionaries_;
};

}  // namespace hindsight::recorder
