#include "recorder/sources/context_packets.h"

#include "recorder/sources/gc.h"
#include "recorder/sources/modules.h"

namespace hindsight::recorder {

void ModulePackets::Consume(const EventHeader& header, PacketWriter& packets) {
  enum : uint32_t { kSeen = 0, kLoaded = 1, kUnloaded = 2 };  // proto ModuleLoad.Kind
  const auto& event = reinterpret_cast<const ModuleEvent&>(header);
  const uint32_t module = dictionaries_.Module(event.module);
  if (module == 0) return;  // unloaded before it was asked for
  const uint32_t kind = header.kind == EventKind::kModuleUnloaded ? kUnloaded
                        : event.seen                              ? kSeen
                                                                  : kLoaded;
  packets.Write(PacketField::kModuleLoad, header.time_ns, [&](ProtoWriter& load) {
    load.Uint(1, module);
    if (kind != kSeen) load.Uint(2, kind);
  });
}

void GcPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  if (header.kind == EventKind::kCollection) {
    const auto& event = reinterpret_cast<const CollectionEvent&>(header);
    packets.Write(PacketField::kGarbageCollection, header.time_ns, [&](ProtoWriter& collection) {
      collection.Uint(1, event.number);
      if (event.generation != 0) collection.Uint(2, event.generation);
      if (event.induced) collection.Bool(3, true);
      collection.Uint(4, event.duration_ns);
    });
  } else if (header.kind == EventKind::kSuspension) {
    const auto& event = reinterpret_cast<const SuspensionEvent&>(header);
    packets.Write(PacketField::kSuspension, header.time_ns, [&](ProtoWriter& suspension) {
      suspension.Uint(1, event.reason);
      suspension.Uint(2, event.stopping_ns);
      suspension.Uint(3, event.total_ns);
    });
  }
}

}  // namespace hindsight::recorder
