#include "recorder/heap/snapshot_packets.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace hindsight::recorder {
namespace {

// The profiling API does not report the number of GC heaps; its threads do. 0: workstation.
uint32_t CountServerThreads() {
  uint32_t count = 0;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  if (!tasks) return 0;
  while (const dirent* entry = readdir(tasks.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string path = std::string(entry->d_name) + "/comm";
    const int file = openat(dirfd(tasks.get()), path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    char name[32];
    const ssize_t bytes = read(file, name, sizeof name);
    close(file);
    const std::string_view text(name, bytes > 0 ? static_cast<size_t>(bytes) : 0);
    if (text.starts_with(".NET Server GC")) ++count;
  }
  return count;
}

}  // namespace

void WriteSnapshotHead(const SnapshotHead& head, PacketWriter& packets) {
  const uint32_t heaps = CountServerThreads();
  packets.Write(PacketField::kHeapSnapshot, head.taken_ns, [&](ProtoWriter& entry) {
    entry.Uint(1, head.number);
    entry.Uint(2, head.trigger);
    entry.Uint(3, head.method);
    entry.Uint(4, head.roots_method);
    if (!head.fallback.empty()) entry.Bytes(5, head.fallback);
    entry.Uint(6, head.collection);
    if (heaps != 0) entry.Bool(7, true);
    if (head.concurrent_gc) entry.Bool(8, true);
    entry.Uint(9, std::max(heaps, 1u));
    entry.Uint(10, head.resident_bytes);
    for (const std::string& rule : head.value_rules) entry.Bytes(11, rule);
  });
}

void WriteSnapshotRanges(std::span<const HeapRange> ranges, PacketWriter& packets) {
  for (const HeapRange& range : ranges) {
    if (packets.full()) packets.End(SegmentKind::kHeapTables);
    packets.Begin();
    packets.Write(PacketField::kHeapRange, kNoTime, [&](ProtoWriter& entry) {
      entry.Fixed64(1, range.start);
      entry.Uint(2, range.used_bytes);
      entry.Uint(3, range.reserved_bytes);
      entry.Uint(4, range.generation);
    });
  }
}

void WriteSnapshotEnd(const SnapshotCertificate& certificate, const SnapshotCounters& counters,
                      PacketWriter& packets) {
  packets.Begin();
  packets.Write(PacketField::kHeapSnapshotEnd, MonotonicNs(), [&](ProtoWriter& end) {
    end.Uint(1, static_cast<uint32_t>(certificate.result));
    if (!certificate.reason.empty()) end.Bytes(2, certificate.reason);
    end.Uint(3, counters.objects);
    end.Uint(4, counters.object_bytes);
    end.Uint(5, counters.free_bytes);
    end.Uint(6, counters.slots);
    end.Uint(7, certificate.gc_bytes);
    end.Uint(8, certificate.roots);
    end.Uint(9, counters.dangling);
    end.Uint(10, certificate.times.suspend_ns);
    end.Uint(11, certificate.times.collect_ns);
    end.Uint(12, certificate.times.roots_ns);
    end.Uint(13, certificate.times.fork_ns);
    end.Uint(14, certificate.times.pause_ns);
    end.Uint(15, certificate.child_wall_ns);
    end.Uint(16, counters.cpu_ns);
    end.Uint(17, certificate.child_private_bytes);
    end.Uint(18, certificate.written_bytes);
  });
  packets.End(SegmentKind::kHeapTables);
}

}  // namespace hindsight::recorder
