// Row limits for those tables of a snapshot that need more memory than bytes in a body.
#pragma once

#include <cstdint>

#include "proto/recording.pb.h"

namespace hindsight::analyzer {

// Counts the rows of a snapshot's tables. Copied to try out a segment that may be invalid.
class HeapTableLimits {
 public:
  // Of rows that are kept. Real snapshots stay far below: see FORMAT.md.
  static constexpr uint64_t kMaxRoots = uint64_t{1} << 24;
  static constexpr uint64_t kMaxDependents = uint64_t{1} << 24;
  static constexpr uint64_t kMaxClassFields = uint64_t{1} << 24;  // slots and values of all classes
  static constexpr uint64_t kMaxStatics = uint64_t{1} << 22;
  static constexpr uint64_t kMaxMonitors = uint64_t{1} << 22;
  static constexpr uint64_t kMaxStackObjects = uint64_t{1} << 22;  // of all threads
  static constexpr uint64_t kMaxRanges = uint64_t{1} << 20;
  static constexpr uint64_t kMaxThreads = uint64_t{1} << 20;
  static constexpr uint64_t kMaxAllocations = uint64_t{1} << 20;

  // Null, or a clause: with this packet, there are more rows of a kind than a snapshot can have.
  const char* Take(const Packet& packet);

 private:
  uint64_t roots_ = 0, dependents_ = 0, class_fields_ = 0, statics_ = 0, monitors_ = 0;
  uint64_t stack_objects_ = 0, ranges_ = 0, threads_ = 0, thread_states_ = 0, allocations_ = 0;
};

}  // namespace hindsight::analyzer
