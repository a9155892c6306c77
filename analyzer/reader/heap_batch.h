// A batch of objects in a segment, decoded without protobuf messages: views of packed columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/heap_columns.h"

namespace hindsight::analyzer {

using Bytes = std::span<const uint8_t>;

// See HeapObjects in proto/recording.proto. The views point into the body, or into `own`.
struct HeapBatch {
  uint64_t first_object = 0;
  uint64_t first_address = 0;
  uint64_t first_slot = 0;
  bool is_partial = false;
  bool chained = false;  // slots of arrays are relative to the previous one
  Bytes classes, gaps, lengths, slots, values, nulls, slot_counts;
  std::vector<std::string_view> texts;
  std::string own;  // used if the body packs its columns in an unusual way
};

// Collects the batches of a body of kind kHeapObjects, in order. Returns null, or a clause that
// says what is wrong with the body.
const char* ParseHeapBatches(std::span<const std::byte> body, std::vector<HeapBatch>& batches);

// Reads consecutive varints. Bits beyond 64 are dropped; the end of the bytes ends a value.
class VarintReader {
 public:
  explicit VarintReader(Bytes bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
  bool AtEnd() const { return at_ == end_; }
  // Undefined at the end.
  uint64_t Next() {
    start_ = at_;
    const uint8_t first = *at_++;
    return first < 0x80 ? first : NextLong(first);
  }
  // Whether the value that Next returned was longer than a byte.
  bool WasLong() const { return at_ - start_ > 1; }
  size_t Skip() {  // returns its length in bytes
    Next();
    return static_cast<size_t>(at_ - start_);
  }

 private:
  uint64_t NextLong(uint8_t first);

  const uint8_t* at_;
  const uint8_t* start_ = nullptr;
  const uint8_t* end_;
};

// The number of varints, and how many of them are a single zero byte. `whole` is false if the
// last one is incomplete.
struct VarintCounts {
  uint64_t values = 0;
  uint64_t zeros = 0;
  bool whole = true;
};
VarintCounts CountVarints(Bytes bytes);

// What a batch adds to a graph; filled after checking all its columns against each other and
// against the classes.
struct HeapBatchFacts {
  uint64_t end_address = 0;  // of its last object
  uint32_t objects = 0;      // 0: only more slots of the previous object
  uint32_t with_length = 0;
  uint32_t with_values = 0;
  uint32_t texts = 0;
  uint64_t text_bytes = 0;
  uint64_t bytes = 0;       // of the objects
  uint64_t slots = 0;       // in this batch
  uint64_t all_slots = 0;   // of its objects, wherever they are: more than `slots` if partial
  uint64_t references = 0;  // slots that are not null
};
const char* CheckHeapBatch(const HeapBatch& batch, std::span<const HeapShape> shapes,
                           HeapBatchFacts& facts);

}  // namespace hindsight::analyzer
