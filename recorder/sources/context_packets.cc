#include "recorder/sources/context_packets.h"

#include <algorithm>

#include "recorder/sources/compiler.h"
#include "recorder/sources/inlining.h"
#include "recorder/sources/modules.h"

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

void InliningTracker::Consume(const EventHeader& header, PacketWriter&) {
  const auto& event = reinterpret_cast<const MethodInlinedEvent&>(header);
  InlineTrees& trees = dictionaries_.inline_trees();
  if (event.bytes == 0) return trees.AddPlain(event.start);
  const size_t room = header.size() > sizeof(event) ? header.size() - sizeof(event) : 0;
  trees.Add(header.thread, event.start, event.chunk, event.last,
            {reinterpret_cast<const uint8_t*>(&event + 1), std::min<size_t>(event.bytes, room)});
}

}  // namespace hindsight::recorder
