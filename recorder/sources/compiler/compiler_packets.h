// Source `gc`, on the drain thread: the compiler's samples.
#pragma once

#include <span>

#include "recorder/sources/packet_source.h"

namespace hindsight::recorder {

class CompilerPackets final : public PacketSource {
 public:
  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kJitSampled};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
};

}  // namespace hindsight::recorder
