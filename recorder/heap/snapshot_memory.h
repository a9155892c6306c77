// What the recorder and a snapshot's child share: a shared mapping, and buffers that the child
// inherits. All of it is mapped before the pause; nothing in it grows.
//
// The child writes classes and counters, the recorder writes the plan and the frozen ranges; each
// publishes by a store to a word that the other one reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "proto/recording_fields.h"
#include "recorder/heap/method_table.h"
#include "recorder/heap/thread_memory.h"

namespace hindsight::recorder {

inline constexpr uint32_t kMaxHeapClasses = 256u << 10;
inline constexpr uint32_t kMaxHeapSlots = 4u << 20;    // offsets of all classes together
inline constexpr uint32_t kMaxHeapValues = 64u << 10;  // fields of all classes together
inline constexpr uint32_t kMaxHeapRanges = 128u << 10;
inline constexpr uint32_t kMaxClassSlots = 1u << 16;
inline constexpr uint32_t kMaxClassValues = 4096;  // further fields of a class are recorded without
                                                   // values

struct WalkedRange {
  uint64_t start;
  uint64_t used_bytes;
  uint64_t reserved_bytes;
  uint32_t generation;  // as in proto HeapRange; kFrozenGeneration
};
inline constexpr uint32_t kFrozenGeneration = 5;

// A field whose value is recorded.
struct PlannedValue {
  using Kind = wire::HeapClass::ValueField::Kind;
  uint32_t offset;  // from the object's address; kWholeObject: the object is a string
  uint8_t bytes;    // 1, 2, 4 or 8
  Kind kind;
};
inline constexpr uint32_t kWholeObject = UINT32_MAX;

struct SnapshotClass {
  uint64_t method_table;
  uint64_t parent;
  uint32_t base_bytes;
  uint32_t component_bytes;
  uint32_t first_slot, slot_count;    // in SnapshotMemory::slots
  uint32_t first_value, value_count;  // in SnapshotMemory::values; written by the recorder
  bool is_array, is_string, is_boxed, is_free, is_finalizable, is_collectible;

  // Size of an object; `length` counts components, if it has any.
  uint64_t Bytes(uint64_t length) const {
    return (base_bytes + length * component_bytes + 7) & ~uint64_t{7};
  }
};

using SnapshotResult = wire::HeapSnapshotEnd::Result;

enum class WalkError : uint32_t {
  kNone,
  kNoMethodTable,   // an object's first word is null
  kUnreadable,      // its class cannot be read
  kBadDescription,  // its class's GCDesc breaks the rules
  kBadSize,         // it extends beyond its range
  kTooManyClasses,
  kTooManySlots,
  kDisk,
  kTime,
  kRequest,
  kMemory,  // no room to keep more segments
};

struct SnapshotCounters {
  std::atomic<uint64_t> objects{0}, object_bytes{0}, free_bytes{0}, slots{0}, dangling{0},
      written_bytes{0}, segments{0}, cpu_ns{0};
};

// In the shared mapping.
struct SnapshotShared {
  enum Phase : uint32_t { kStarting, kFindingClasses, kWaitingForPlan, kWriting, kEnded };
  std::atomic<uint32_t> phase{kStarting};
  std::atomic<uint32_t> frozen_ready{0};  // the recorder has written `frozen`
  std::atomic<uint32_t> plan_ready{0};    // the recorder has written values and first_sequence
  std::atomic<uint32_t> stop{0};          // the child should end
  std::atomic<uint32_t> error{0};         // WalkError
  std::atomic<uint64_t> error_address{0};
  std::atomic<uint32_t> error_number{0};  // errno of kDisk
  std::atomic<uint32_t> class_count{0};
  uint32_t slot_count = 0;
  uint32_t value_count = 0;
  uint32_t text_units = 0;      // UTF-16 code units kept of a string
  uint64_t first_sequence = 0;  // of the child's first segment
  uint64_t recording_id = 0;
  uint32_t snapshot_number = 0;
  uint32_t collectible_flag = ~0u;  // CollectibleFlag
  uint32_t frozen_count = 0;
  uint64_t file_limit_bytes = 0;
  SnapshotCounters counters;
  WalkedRange frozen[1024];
  ThreadMemory threads;
  // Open addressing: 1 + index of the class; kMaxHeapClasses * 2 entries.
  uint32_t class_index[kMaxHeapClasses * 2];
  SnapshotClass classes[kMaxHeapClasses];
  uint32_t slots[kMaxHeapSlots];
  PlannedValue values[kMaxHeapValues];
};

}  // namespace hindsight::recorder
