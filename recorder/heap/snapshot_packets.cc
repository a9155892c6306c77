#include "recorder/heap/snapshot_packets.h"

#include <algorithm>

#include "recorder/base/thread_run.h"

namespace hindsight::recorder {
void WriteSnapshotHead(const SnapshotHead& head, PacketWriter& packets) {
  // The profiling API does not report the number of GC heaps; its threads do. 0: workstation.
  const uint32_t heaps = CountThreadsNamed(".NET Server GC");
  packets.Write(wire::Packet::kHeapSnapshot, head.taken_ns, [&](auto& entry) {
    entry.Set(entry.kNumber, head.number);
    entry.Set(entry.kTrigger, head.trigger);
    entry.Set(entry.kMethod, head.method);
    entry.Set(entry.kRootsMethod, head.roots_method);
    if (!head.fallback.empty()) entry.Set(entry.kFallbackReason, head.fallback);
    entry.Set(entry.kCollection, head.collection);
    if (heaps != 0) entry.Set(entry.kServerGc, true);
    if (head.concurrent_gc) entry.Set(entry.kConcurrentGc, true);
    entry.Set(entry.kHeapCount, std::max(heaps, 1u));
    entry.Set(entry.kResidentBytes, head.resident_bytes);
    for (const std::string& rule : head.value_rules) entry.Add(entry.kValueRule, rule);
  });
}

void WriteSnapshotRanges(std::span<const WalkedRange> ranges, PacketWriter& packets) {
  for (const WalkedRange& range : ranges) {
    if (packets.full()) packets.End(SegmentKind::kHeapTables);
    packets.Begin();
    packets.Write(wire::Packet::kHeapRange, kNoTime, [&](auto& entry) {
      entry.Set(entry.kStart, range.start);
      entry.Set(entry.kUsedBytes, range.used_bytes);
      entry.Set(entry.kReservedBytes, range.reserved_bytes);
      entry.Set(entry.kGeneration, range.generation);
    });
  }
}

void WriteSnapshotEnd(const SnapshotCertificate& certificate, const SnapshotCounters& counters,
                      PacketWriter& packets) {
  packets.Begin();
  packets.Write(wire::Packet::kHeapSnapshotEnd, MonotonicNs(), [&](auto& end) {
    end.Set(end.kResult, certificate.result);
    if (!certificate.reason.empty()) end.Set(end.kReason, certificate.reason);
    end.Set(end.kObjects, counters.objects.load());
    end.Set(end.kObjectBytes, counters.object_bytes.load());
    end.Set(end.kFreeBytes, counters.free_bytes.load());
    end.Set(end.kSlots, counters.slots.load());
    end.Set(end.kGcBytes, certificate.gc_bytes);
    end.Set(end.kRoots, certificate.roots);
    end.Set(end.kDanglingSlots, counters.dangling.load());
    end.Set(end.kSuspendNs, certificate.times.suspend_ns);
    end.Set(end.kCollectNs, certificate.times.collect_ns);
    end.Set(end.kRootsNs, certificate.times.roots_ns);
    end.Set(end.kForkNs, certificate.times.fork_ns);
    end.Set(end.kPauseNs, certificate.times.pause_ns);
    end.Set(end.kPauses, certificate.pauses);
    end.Set(end.kAllPausesNs, certificate.all_pauses_ns);
    end.Set(end.kChildWallNs, certificate.child_wall_ns);
    end.Set(end.kChildCpuNs, counters.cpu_ns.load());
    end.Set(end.kChildPrivateBytes, certificate.child_private_bytes);
    end.Set(end.kWrittenBytes, certificate.written_bytes);
  });
  packets.End(SegmentKind::kHeapTables);
}

}  // namespace hindsight::recorder
