// The objects of a snapshot: from the batches in its segments to the columns of a graph.
//
// Two passes over the segments, each on all processors: the first checks every batch and keeps what
// determines the places of objects (3 bytes per object), the second turns slots into references.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/heap_columns.h"
#include "analyzer/reader/heap_batch.h"
#include "analyzer/reader/scanner.h"

namespace hindsight::analyzer {

class Progress;

class HeapObjectsReader {
 public:
  // `segments`: those of kind kHeapObjects that are not lost, ordered by sequence. `shapes` is
  // indexed by class id. All spans must outlive this.
  HeapObjectsReader(std::span<const std::string> files, std::span<const SegmentRef> segments,
                    std::span<const HeapShape> shapes, Progress* progress);
  HeapObjectsReader(const HeapObjectsReader&) = delete;
  HeapObjectsReader& operator=(const HeapObjectsReader&) = delete;

  // The first pass. Batches that overlap another one or continue nothing are invalid as well.
  void Check();
  // Indexes of segments that cannot be used, and why; ordered by segment.
  const std::vector<std::pair<size_t, const char*>>& invalid() const { return invalid_; }
  uint64_t objects() const { return objects_; }
  uint64_t object_bytes() const { return bytes_; }
  uint64_t slots() const { return slots_; }
  uint64_t references() const { return references_; }

  // After Check. Null, or a clause: there are more objects, slots or values than the columns can
  // hold.
  const char* BeyondLimit() const;

  // The second pass, after Check, once: fills everything in `columns` that concerns objects.
  // Returns the number of dangling references. `error` becomes null, or a clause: there are too
  // many of something.
  uint64_t Fill(HeapColumns& columns, const char*& error);

 private:
  struct Plan {  // a batch without its slots
    uint32_t segment = 0;
    uint32_t nth = 0;  // index in its segment
    uint64_t first_address = 0;
    uint64_t first_slot = 0;
    bool is_partial = false;
    bool counts_slots = false;
    HeapBatchFacts facts;
    std::vector<uint8_t> kept;  // classes, gaps, lengths, values, slot counts
    uint32_t ends[5] = {};      // the end of each in `kept`
    std::string texts;
    std::vector<uint32_t> text_ends;
    std::vector<bool> text_is_null;
    // Its place in the columns.
    ObjectId first_id = 0;
    uint64_t reference_begin = 0;
    uint64_t slot_begin = 0;

    Bytes Kept(int column) const {
      const uint32_t begin = column == 0 ? 0 : ends[column - 1];
      return Bytes(kept).subspan(begin, ends[column] - begin);
    }
  };
  enum Kind { kClasses, kGaps, kLengths, kValues, kSlotCounts };
  struct Walk;

  static Plan Keep(const HeapBatch& batch, const HeapBatchFacts& facts);
  void Place();
  bool DropConflicts(bool all);
  bool FillIndex(HeapColumns& columns) const;  // false: the objects lie too far apart
  void FillObjects(HeapColumns& columns) const;
  void FillReferences(HeapColumns& columns);
  uint64_t FillBatch(const Plan& plan, const HeapBatch* batch, HeapColumns& columns) const;
  static void Compact(HeapColumns& columns);

  const std::span<const std::string> files_;
  const std::span<const SegmentRef> segments_;
  const std::span<const HeapShape> shapes_;
  Progress* const progress_;
  std::vector<std::vector<Plan>> plans_;  // indexed by segment, in the order of batches
  std::vector<const Plan*> order_;        // ordered by address, then slot
  std::vector<std::pair<size_t, const char*>> invalid_;
  uint64_t objects_ = 0, bytes_ = 0, slots_ = 0, all_slots_ = 0, references_ = 0;
  uint64_t dangling_ = 0;
};

}  // namespace hindsight::analyzer
