// What the recorder and a snapshot's child exchange about threads and locks: part of
// SnapshotShared. The recorder writes its half before the pause, the child its own before
// kWaitingForPlan.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

inline constexpr uint32_t kMaxScannedThreads = 1u << 14;
inline constexpr uint32_t kMaxStackPointers = 1u << 20;  // frames of all threads together
inline constexpr uint32_t kMaxStackObjects = 256;        // per thread
inline constexpr uint32_t kMaxScannedObjects = 1u << 20;
inline constexpr uint32_t kMaxMonitors = 1u << 16;
inline constexpr uint32_t kMaxRuntimeRanges = 16;

// An object's header, the four bytes before it (dotnet/runtime, src/coreclr/vm/syncblk.h; the same
// in .NET 8 to 10).
struct ObjectHeader {
  static constexpr uint32_t kIsHashOrIndex = 0x08000000, kIsHash = 0x04000000;
  static constexpr uint32_t kIndexMask = 0x03ffffff;
  static constexpr uint32_t kOwnerMask = 0xffff, kRecursionShift = 16, kRecursionMask = 0x3f;

  uint32_t bits = 0;

  // Index of the sync block; 0: it has none.
  uint32_t index() const {
    return (bits & (kIsHashOrIndex | kIsHash)) == kIsHashOrIndex ? bits & kIndexMask : 0;
  }
  // Managed id of the thread that holds the thin lock; 0: none.
  uint32_t owner() const { return (bits & kIsHashOrIndex) == 0 ? bits & kOwnerMask : 0; }
  uint32_t recursion() const { return bits >> kRecursionShift & kRecursionMask; }
};

struct MarkedObject {
  uint64_t object;
  uint32_t header;
};

// What the first walk found in the headers of objects.
struct HeaderNotes {
  static constexpr uint32_t kSamples = 256;

  uint64_t with_block = 0;  // objects that have a sync block
  uint32_t highest_index = 0;
  uint32_t sample_count = 0;
  uint32_t thin_count = 0;
  bool thin_overflow = false;
  MarkedObject samples[kSamples];  // the first of those with a block
  MarkedObject thin[kMaxMonitors];

  void Take(uint64_t object, uint32_t bits) {
    const ObjectHeader header{bits};
    if (const uint32_t index = header.index(); index != 0) {
      ++with_block;
      if (index > highest_index) highest_index = index;
      if (sample_count < kSamples) samples[sample_count++] = {object, bits};
    } else if (header.owner() != 0) {
      thin_overflow = thin_count == kMaxMonitors;
      if (!thin_overflow) thin[thin_count++] = {object, bits};
    }
  }
};

struct ScannedObject {
  uint64_t address;
  uint32_t offset;  // as in proto HeapThread
  uint32_t frame;   // likewise
};

struct ScannedThread {
  // Written by the recorder.
  uint64_t clr_thread;
  uint32_t os_id;
  uint32_t first_pointer,
      pointer_count;       // in ThreadMemory::stack_pointers: of its frames, ascending
  uint64_t stack_pointer;  // in the system call in which it sleeps; 0: unknown
  // Written by the child.
  uint64_t waiting_monitor;             // the object; 0: none
  uint32_t managed_id;                  // 0: unknown
  uint32_t first_object, object_count;  // in ThreadMemory::objects
};

struct FoundMonitor {
  uint64_t object;
  uint32_t owner_os_id, owner_managed_id;
  uint32_t recursion;
  bool waited_for;
};

// Why monitors are missing, or some of them.
enum class MonitorFault : uint32_t {
  kNone,
  kNotLooked,      // there was no child, or it did not get that far
  kNoTable,        // no word of the runtime's data points to a table that matches the headers
  kManyTables,     // more than one
  kHeadersDiffer,  // the table and the headers disagree
  kBlockLayout,    // a sync block does not name its own index
  kOwner,          // a monitor's owner ids do not match
  kTooMany,
};

struct MemoryRange {
  uint64_t start;
  uint64_t bytes;
};

struct ThreadMemory {
  // Written by the recorder.
  uint32_t thread_count = 0;
  uint32_t runtime_range_count = 0;
  MemoryRange runtime_ranges[kMaxRuntimeRanges];  // the runtime's own variables
  uint64_t stack_pointers[kMaxStackPointers];
  // Written by the child.
  HeaderNotes notes;
  MonitorFault fault = MonitorFault::kNotLooked;
  bool waits_known = false;  // waiting_monitor of the threads is valid
  uint32_t monitor_count = 0;
  uint32_t object_count = 0;
  FoundMonitor monitors[kMaxMonitors];
  ScannedObject objects[kMaxScannedObjects];
  // Written by both.
  ScannedThread threads[kMaxScannedThreads];  // sorted by os_id
};

}  // namespace hindsight::recorder
