// The packets around a snapshot's objects: what it is, the heap's ranges, and how it ended.
// The snapshot's thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "recorder/encode/packet_writer.h"
#include "recorder/heap/snapshot_memory.h"
#include "recorder/heap/snapshot_pause.h"

namespace hindsight::recorder {

struct SnapshotHead {
  uint32_t number = 0;
  wire::HeapSnapshot::Trigger trigger = {};
  wire::HeapSnapshot::Method method = {};
  wire::HeapSnapshot::RootsMethod roots_method = {};
  std::string fallback;
  uint32_t collection = 0;
  uint64_t taken_ns = 0;  // CLOCK_MONOTONIC
  uint64_t resident_bytes = 0;
  bool concurrent_gc = false;
  std::span<const std::string> value_rules;
};
void WriteSnapshotHead(const SnapshotHead& head, PacketWriter& packets);

void WriteSnapshotRanges(std::span<const WalkedRange> ranges, PacketWriter& packets);

struct SnapshotCertificate {
  SnapshotResult result = SnapshotResult::kUnknown;
  std::string_view reason;
  uint64_t gc_bytes = 0;
  uint64_t roots = 0;
  PauseTimes times;
  uint64_t pauses = 0, all_pauses_ns = 0;
  uint64_t child_wall_ns = 0, child_private_bytes = 0;
  uint64_t written_bytes = 0;
};
void WriteSnapshotEnd(const SnapshotCertificate& certificate, const SnapshotCounters& counters,
                      PacketWriter& packets);

}  // namespace hindsight::recorder
