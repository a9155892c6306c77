#include "recorder/sources/context_packets.h"

#include "recorder/sources/compiler.h"
#include "recorder/sources/modules.h"

namespace hindsight::recorder {

void ModulePackets::Consume(const EventHeader& header, PacketWriter& packets) {
  enum : uint32_t { kSeen = 0, kLoaded = 1, kUnloaded = 2 };  // proto ModuleLoad.Kind
  const auto& event = reinterpret_cast<const ModuleEvent&>(header);
  const uint32_t module = dictionaries_.Module(event.module);
  if (module == 0) return;  // unloaded before it could be looked up
  const uint32_t kind = header.kind == EventKind::kModuleUnloaded ? kUnloaded
                        : event.seen                              ? kSeen
                                                                  : kLoaded;
  packets.Write(PacketField::kModuleLoad, header.time_ns, [&](ProtoWriter& load) {
    load.Uint(1, module);
    if (kind != kSeen) load.Uint(2, kind);
  });
}

void CompilerPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  const auto& event = reinterpret_cast<const JitSampledEvent&>(header);
  packets.Write(PacketField::kJitSample, header.time_ns, [&](ProtoWriter& sample) {
    sample.Uint(1, event.methods);
    sample.Uint(2, event.il_bytes);
    sample.Uint(3, event.time_ns);
    sample.Uint(4, event.background_ns);
    sample.PackedUint(5, event.tiers);
    sample.Uint(6, event.r2r_rejected);
  });
}

}  // namespace hindsight::recorder
