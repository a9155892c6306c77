// What was inlined, on the drain thread. Writes nothing: the dictionaries include it in sampled
// stacks, and in what they say about dynamic methods.
#pragma once

#include <span>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"

namespace hindsight::recorder {

class InliningTracker final : public PacketSource {
 public:
  explicit InliningTracker(DictionaryWriter& dictionaries) : dictionaries_(dictionaries) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kMethodInlined, EventKind::kInlineCandidate};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  DictionaryWriter& dictionaries_;
};

}  // namespace hindsight::recorder
