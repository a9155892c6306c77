#include "recorder/sources/modules/module_packets.h"

#include "recorder/sources/modules/modules.h"

namespace hindsight::recorder {

void ModulePackets::Consume(const EventHeader& header, PacketWriter& packets) {
  using Kind = wire::ModuleLoad::Kind;
  const auto& event = reinterpret_cast<const ModuleEvent&>(header);
  const uint32_t module = dictionaries_.Module(event.module);
  if (module == 0) return;  // unloaded before it could be looked up
  const Kind kind = header.kind == EventKind::kModuleUnloaded ? Kind::kUnloaded
                    : event.seen                              ? Kind::kSeen
                                                              : Kind::kLoaded;
  packets.Write(wire::Packet::kModuleLoad, header.time_ns, [&](auto& load) {
    load.Set(load.kModule, module);
    if (kind != Kind::kSeen) load.Set(load.kKind, kind);
  });
}

}  // namespace hindsight::recorder
