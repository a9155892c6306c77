#include "recorder/sources/compiler/compiler_packets.h"

#include <span>

#include "recorder/encode/packet_writer.h"
#include "recorder/sources/compiler/compiler.h"

namespace hindsight::recorder {

void CompilerPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const JitSampledEvent&>(header);
  packets.Write(wire::Packet::kJitSample, header.time_ns, [&](auto& sample) {
    sample.Set(sample.kMethods, event.methods);
    sample.Set(sample.kIlBytes, event.il_bytes);
    sample.Set(sample.kTimeNs, event.time_ns);
    sample.Set(sample.kBackgroundNs, event.background_ns);
    sample.Set(sample.kTier, std::span(event.tiers));
    sample.Set(sample.kR2rRejected, event.r2r_rejected);
  });
}

}  // namespace hindsight::recorder
