// Walks the objects of a heap that does not change: in the snapshot's child, or during the pause.
//
// Async-signal-safe, no allocation, no lock. It never guesses: an object that is not as expected
// ends the walk, and shared.error says where and why. Everything written before it is correct.
// Before a class is read for the first time, the kernel is asked whether its memory is readable.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/heap/object_batch.h"
#include "recorder/heap/snapshot_memory.h"

namespace hindsight::recorder {

class HeapWalk {
 public:
  // `ranges`: ascending, not overlapping. `deadline_ns`: CLOCK_MONOTONIC.
  HeapWalk(SnapshotShared& shared, std::span<const WalkedRange> ranges, uint64_t deadline_ns);

  // Fills shared.classes and shared.threads.notes.
  bool FindClasses();
  // After FindClasses: whether the memory at `address` looks like an object: it is in a range, and
  // its first word is a class that was found. Data inside of an object may look like one.
  bool MayBeObject(uint64_t address) const;
  // The child should end, or its time is up.
  bool IsLate() const;
  // The four bytes before an object.
  static uint32_t HeaderOf(uint64_t object);
  // Writes all objects, with the values that the plan in shared.classes names.
  bool WriteObjects(ObjectBatch& batch);

 private:
  static constexpr uint32_t kNoClass = UINT32_MAX;

  template <typename Visit>
  bool ForEachObject(Visit visit);
  uint32_t ClassOf(uint64_t method_table);
  uint32_t AddClass(uint64_t method_table, uint32_t place);
  bool WriteObject(ObjectBatch& batch, uint64_t object, const SnapshotClass& type, uint32_t id,
                   uint64_t gap_words);
  bool WriteSlots(ObjectBatch& batch, uint64_t object, const SnapshotClass& type, uint32_t id,
                  uint64_t length);
  void WriteValues(ObjectBatch& batch, uint64_t object, const SnapshotClass& type);
  void WriteText(ObjectBatch& batch, uint64_t string);
  uint64_t Target(uint64_t slot_address);
  bool Fail(WalkError error, uint64_t address);
  bool ShouldStop();

  SnapshotShared& shared_;
  const std::span<const WalkedRange> ranges_;
  const uint64_t deadline_ns_;
  uint64_t lowest_ = UINT64_MAX, highest_ = 0;  // of all ranges
  uint64_t dangling_ = 0;
  // The most recent classes, indexed by a few bits of their address.
  struct Recent {
    uint64_t method_table;
    uint32_t id;
  };
  Recent recent_[256] = {};
};

}  // namespace hindsight::recorder
