// State of one snapshot in progress: private to SnapshotMaker, whose methods are in
// snapshot_maker.cc (the sequence) and snapshot_events.cc (the collection, the child, the end).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "recorder/base/process_facts.h"
#include "recorder/heap/snapshot_maker.h"

namespace hindsight::recorder {

inline constexpr uint64_t kMillisecond = 1'000'000;
inline constexpr uint64_t kMiB = 1u << 20;

inline constexpr char kTooManyObjects[] =
    "The heap has more objects than fit into heap.max_memory with this method; raise it.";

inline std::string Milliseconds(uint64_t ns) { return std::to_string(ns / kMillisecond) + " ms"; }
inline std::string MiBs(uint64_t bytes) { return std::to_string(bytes / kMiB) + " MiB"; }

struct SnapshotMaker::Attempt {
  explicit Attempt(const Order& wanted) : order(wanted) {}

  const Order& order;
  SnapshotShared* shared = nullptr;
  SnapshotStatus status;
  SnapshotResult result = SnapshotResult::kUnknown;
  std::string fallback;
  uint64_t started_ns = 0;
  uint64_t deadline_ns = 0;
  uint64_t heap_as_of_ns = 0;  // see Gc
  uint64_t child_started_ns = 0, child_wall_ns = 0, child_private_bytes = 0;
  uint64_t next_look_ns = 0;  // when to check the child's memory next
  // Earlier, once the kernel may have copied that much, but not before this time.
  uint64_t next_look_copied = 0, earliest_look_ns = 0;
  uint64_t next_room_ns = 0;  // when to check the available memory next
  uint64_t memory_limit_bytes = 0;
  std::string no_copy;  // why the process must not be copied; empty: it may
  MemoryUse memory;
  bool concurrent_gc = false;
  int child_status = 0;
  uint64_t counted_segments = 0;  // segments of the walk that the file has counted
  bool child_lives = false;

  void End(SnapshotResult why, std::string reason) {
    if (result != SnapshotResult::kUnknown) return;
    result = why;
    status.reason = std::move(reason);
  }
};

}  // namespace hindsight::recorder
