// Files of heap snapshots for tests and benchmarks, from messages, with the container's own code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/recording.pb.h"
#include "proto/segment.h"

namespace hindsight::testing {

class HeapFile {
 public:
  explicit HeapFile(uint32_t number = 1, uint64_t recording_id = 0x1122334455667788)
      : number_(number), recording_id_(recording_id) {}

  // A segment of these packets, after a SegmentStart.
  void AddTables(const Recording& packets) { Add(packets, SegmentKind::kHeapTables); }
  void AddObjects(HeapObjects batch);
  void Add(const Recording& packets, SegmentKind kind);
  void AddBody(std::string_view body, SegmentKind kind);
  // As if `count` segments had been written and were gone.
  void SkipSegments(uint64_t count) { sequence_ += count; }

  uint32_t number() const { return number_; }
  std::string name() const;  // heap-000001.hsr
  const std::string& bytes() const { return bytes_; }
  // Offsets in bytes() at which segments begin.
  const std::vector<size_t>& segment_offsets() const { return offsets_; }
  // What was added since the last call: for files that are larger than memory.
  std::string TakeBytes() { return std::exchange(bytes_, {}); }

  static constexpr uint64_t kMonotonicNs = 7'000'000'000;
  static constexpr uint64_t kUnixNs = 1'795'000'002'000'000'000;

 private:
  uint32_t number_;
  uint64_t recording_id_;
  uint64_t sequence_ = 0;
  std::string bytes_;
  std::vector<size_t> offsets_;
};

// `count` objects of class 1, one after another.
HeapObjects BatchAt(uint64_t first_address, int count);

// A snapshot in text format, as a `Recording`, made into a file: objects in segments of their own,
// all other packets in those before and after them. Throws std::runtime_error if the text is
// anything else.
HeapFile HeapFileOf(std::string_view text, uint64_t recording_id = 0x1122334455667788);
HeapFile HeapFileOf(const Recording& recording, uint64_t recording_id = 0x1122334455667788);

}  // namespace hindsight::testing
