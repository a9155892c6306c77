// Source `cpu`, on the drain thread: what was inlined. Writes nothing: the dictionaries tell of it
// where it was sampled.
#pragma once

#include <span>

#include "recorder/encode/dictionaries.h"
#include "recorder/sources/source.h"

namespace hindsight::recorder {

class InliningTracker final : public Source {
 public:
  explicit InliningTracker(Dictionaries& dictionaries) : dictionaries_(dictionaries) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kMethodInlined};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  Dictionaries& dictionaries_;
};

}  // namespace hindsight::recorder
