// Objects -> columns -> segments of a snapshot's file (proto HeapObjects).
//
// All memory is mapped by Map and Keep. Afterwards it neither allocates nor locks, and makes no
// system calls except write, ftruncate, clock_gettime, and those on the thread's signals around a
// write: a snapshot's child uses its own copy of it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "proto/limits.h"
#include "proto/wire_format.h"
#include "recorder/heap/snapshot_memory.h"
#include "recorder/output/segment_buffer.h"

namespace hindsight::recorder {

class ObjectBatch {
 public:
  // Limits of one batch: bytes of all its columns, and slots of one object.
  static constexpr size_t kBatchBytes = 960u << 10;
  static constexpr uint64_t kChunkSlots = 64u << 10;
  static constexpr uint32_t kMaxTextBytes = 16u << 10;

  ObjectBatch() = default;
  ObjectBatch(const ObjectBatch&) = delete;
  ObjectBatch& operator=(const ObjectBatch&) = delete;
  ~ObjectBatch() {
    Forget();
    Unmap();
  }

  bool Map();
  void Unmap();
  size_t memory_bytes() const { return bytes_ + buffer_.memory_bytes(); }

  // Segments are appended to `file`, which remains the caller's; -1 while they are kept.
  void Start(SnapshotShared& shared, int file);

  // From now on segments are kept in memory instead, at most `bytes` of it: for a walk while the
  // application is stopped, which must not wait for a disk. False: there is no address space.
  bool Keep(size_t bytes);
  bool keeps() const { return kept_ != nullptr; }
  // Appends those to `file`, and ends that. False as in Begin.
  bool WriteKept(int file);
  void Forget();

  // One object: `worst_bytes` is an upper bound for all its columns. Ends the previous batch if
  // needed. False: the file could not be written, or there is no room to keep more; shared.error
  // says why.
  bool Begin(uint64_t address, uint32_t class_id, uint64_t gap_words, size_t worst_bytes);
  void Length(uint64_t length) { Put(kLengths, length); }
  // Only with CallbackWalk, whose classes do not count slots; targets are then relative to the
  // object.
  void SlotCount(uint64_t count) {
    Put(kSlotCounts, count);
    chained_ = false;
  }
  // Null is target 0; `base` is the referring object, or in arrays the previous target.
  void Slot(uint64_t base, uint64_t target) {
    if (target == 0) {
      *end_[kSlots]++ = 0;
      return;
    }
    Put(kSlots, ZigZag(static_cast<int64_t>(target - base) >> 3) + 1);
  }
  void Value(int64_t value) { Put(kValues, ZigZag(value)); }
  // A text is cut where the batch would become too large: the texts of one object together take no
  // more than what its slots leave of kBatchBytes.
  void Text(std::string_view utf8, bool is_null);

  // An object whose slots do not fit into one batch is written alone, in chunks: Begin, Length,
  // Value, Text, the first kChunkSlots slots, then Continue before each further chunk.
  bool Continue(uint64_t address, uint32_t class_id, uint64_t length, uint64_t first_slot);

  // Writes what is left. False as in Begin.
  bool Flush(bool is_partial = false);

  uint64_t objects() const { return objects_; }

 private:
  enum Column { kClasses, kGaps, kLengths, kSlots, kValues, kTexts, kNulls, kSlotCounts, kColumns };
  // More than a batch, plus the slots and values of one object: no column overflows.
  static constexpr size_t kColumnBytes = 2u << 20;
  static_assert(kColumnBytes > kBatchBytes + kMaxVarintBytes * (kChunkSlots + kMaxClassValues));
  // What follows the last text that is not cut still fits into the packet.
  static_assert(kMaxPacketBytes > kBatchBytes + kMaxClassValues * (kMaxVarintBytes + 4) + 256);

  void Put(Column column, uint64_t value) { end_[column] = PutVarint(value, end_[column]); }
  size_t Size(Column column) const { return static_cast<size_t>(end_[column] - begin_[column]); }
  size_t used() const;
  void Reset();
  void Encode(bool is_partial);
  bool EndSegment();
  bool KeepSegment(std::span<const std::byte> segment);
  bool WriteSegment(std::span<const std::byte> segment);
  bool Fail(WalkError error, int number = 0);

  uint8_t* memory_ = nullptr;
  size_t bytes_ = 0;
  uint8_t* begin_[kColumns] = {};
  uint8_t* end_[kColumns] = {};
  SegmentBuffer buffer_;
  // Segments, each behind its size.
  uint8_t* kept_ = nullptr;
  size_t kept_room_ = 0, kept_bytes_ = 0;

  SnapshotShared* shared_ = nullptr;
  int file_ = -1;
  uint64_t sequence_ = 0;
  uint64_t file_bytes_ = 0;   // where the last complete segment ends
  uint64_t objects_ = 0;      // begun so far
  uint64_t batch_first_ = 0;  // index of the batch's first object
  uint64_t batch_address_ = 0;
  uint64_t batch_slot_ = 0;
  uint32_t batch_objects_ = 0;
  bool chained_ = true;  // array slots are relative to the previous one
};

}  // namespace hindsight::recorder
