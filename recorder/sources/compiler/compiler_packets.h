// Source `gc`, on the drain thread: the compiler's samples.
#pragma once

#include "recorder/sources/source.h"

namespace hindsight::recorder {

class CompilerPackets final : public Source {
 public:
  void Consume(const EventHeader& event, PacketWriter& packets) override;
};

}  // namespace hindsight::recorder
