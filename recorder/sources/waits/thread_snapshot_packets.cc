#include "recorder/sources/waits/thread_snapshot_packets.h"

#include <span>

#include "recorder/sources/packet_stack.h"
#include "recorder/sources/waits/thread_snapshots.h"

namespace hindsight::recorder {
namespace {

void WriteSnapshot(const ThreadSnapshotEvent& event, PacketWriter& packets) {
  packets.Write(wire::Packet::kThreadSnapshot, event.header.time_ns, [&](auto& snapshot) {
    snapshot.Set(snapshot.kNumber, event.number);
    snapshot.Set(snapshot.kTrigger, event.trigger);
    snapshot.Set(snapshot.kThreads, event.threads);
    snapshot.Set(snapshot.kStoppingNs, event.stopping_ns);
    snapshot.Set(snapshot.kPauseNs, event.pause_ns);
    if (event.heap_snapshot != 0) snapshot.Set(snapshot.kHeapSnapshot, event.heap_snapshot);
    if (event.next_ns != 0) snapshot.Set(snapshot.kNextNs, event.next_ns);
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
  const uint32_t stack = StackOf(event, dictionaries_);
  const uint32_t owner =
      event.lock_owner != 0 ? threads_.IdAt(event.lock_owner, header.time_ns, packets) : 0;
  packets.Write(wire::Packet::kThreadState, header.time_ns, [&](auto& state) {
    state.Set(state.kSnapshot, event.snapshot);
    state.Set(state.kThread, thread);
    if (stack != 0) state.Set(state.kStack, stack);
    if (event.cpu_ns != 0) state.Set(state.kCpuNs, event.cpu_ns);
    if (event.switches != 0) state.Set(state.kSwitches, event.switches);
    if (event.state != RunState::kUnknown) state.Set(state.kState, event.state);
    if (event.stack_truncated) state.Set(state.kStackTruncated, true);
    if (event.lock != 0) state.Set(state.kWaitsFor, event.lock);
    if (owner != 0) state.Set(state.kLockOwner, owner);
    if (event.ready_ns != 0) state.Set(state.kReadyNs, event.ready_ns);
  });
}

}  // namespace hindsight::recorder
