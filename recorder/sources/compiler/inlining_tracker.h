// Source `cpu`, on the drain thread: what was inlined. Writes nothing: the dictionaries include it
// in sampled stacks.
#pragma once

#include <span>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/packet_source.h"

namespace hindsight::recorder {

class InliningTracker final : public PacketSource {
 public:
  explicit InliningTracker(DictionaryWriter& dictionaries) : dictionaries_(dictionaries) {}
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kMethodInlined};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;

 private:
  DictionaryWriter& dictionaries_;
};

}  // namespace hindsight::recorder
