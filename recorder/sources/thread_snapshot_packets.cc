#include "recorder/sources/thread_snapshot_packets.h"

#include <span>

#include "recorder/sources/thread_snapshots.h"

namespace hindsight::recorder {
namespace {

void WriteSnapshot(const ThreadSnapshotEvent& event, PacketWriter& packets) {
  packets.Write(PacketField::kThreadSnapshot, event.header.time_ns, [&](ProtoWriter& snapshot) {
    snapshot.Uint(1, event.number);
    snapshot.Uint(2, static_cast<uint32_t>(event.trigger));
    snapshot.Uint(3, event.threads);
    snapshot.Uint(4, event.stopping_ns);
    snapshot.Uint(5, event.pause_ns);
    if (event.heap_snapshot != 0) snapshot.Uint(6, event.heap_snapshot);
    if (event.next_ns != 0) snapshot.Uint(7, event.next_ns);
  });
}

}  // namespace

void ThreadSnapshotPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  if (header.kind == EventKind::kThreadSnapshot) {
    WriteSnapshot(reinterpret_cast<const ThreadSnapshotEvent&>(header), packets);
    return;
  }
  const auto& event = reinterpret_cast<const ThreadStateEvent&>(header);
  const uint32_t thread = threads_.IdAt(header.thread, header.time_ns, packets);
  const std::span<const uintptr_t> frames = {reinterpret_cast<const uintptr_t*>(&event + 1),
                                             event.frames_inline};
  const uint32_t stack =
      event.stack != 0 ? dictionaries_.Stack(event.stack) : dictionaries_.Stack(frames);
  const uint32_t owner =
      event.lock_owner != 0 ? threads_.IdAt(event.lock_owner, header.time_ns, packets) : 0;
  packets.Write(PacketField::kThreadState, header.time_ns, [&](ProtoWriter& state) {
    state.Uint(1, event.snapshot);
    state.Uint(2, thread);
    if (stack != 0) state.Uint(3, stack);
    if (event.cpu_ns != 0) state.Uint(4, event.cpu_ns);
    if (event.switches != 0) state.Uint(5, event.switches);
    if (event.state != RunState::kUnknown) state.Uint(6, static_cast<uint32_t>(event.state));
    if (event.stack_truncated) state.Bool(7, true);
    if (event.lock != 0) state.Fixed64(8, event.lock);
    if (owner != 0) state.Uint(9, owner);
    if (event.ready_ns != 0) state.Uint(10, event.ready_ns);
  });
}

}  // namespace hindsight::recorder
