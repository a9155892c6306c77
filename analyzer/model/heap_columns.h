// Memory layout of a heap graph. Its builder fills these columns and passes them to HeapGraph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/column.h"
#include "analyzer/model/heap_types.h"
#include "analyzer/model/object_index.h"
#include "analyzer/model/ranked_bits.h"

namespace hindsight::analyzer {

// What is needed about a class for each of its objects.
struct HeapShape {
  uint32_t base_bytes = 0;
  uint32_t component_bytes = 0;
  uint32_t slots = 0;  // for arrays: of an element
  uint16_t values = 0;
  uint16_t texts = 0;
  bool repeats = false;  // an array

  static HeapShape Of(const HeapClass& type);
  uint64_t Bytes(uint64_t length) const {
    return (base_bytes + length * component_bytes + 7) & ~uint64_t{7};
  }
  uint64_t Slots(uint64_t length) const { return repeats ? slots * length : slots; }
};

struct HeapColumns {
  std::vector<HeapClass> classes;  // [0]: unknown
  std::vector<HeapShape> shapes;   // parallel to classes

  ObjectIndex index;
  // Indexed by object; the upper half is used only if there are too many classes for the lower one.
  Column<uint16_t> class_low;
  Column<uint16_t> class_high;
  RankedBits has_length;     // objects whose class has components
  Column<uint32_t> lengths;  // of those objects

  Column<uint32_t> reference_begin;  // indexed by object, with one extra at the end
  Column<ObjectId> references;
  // One bit per slot, in the order of objects: whether `references` contains it. Unused if the
  // recorder did not know the slots: then references are counted instead.
  bool has_slots = true;
  Column<uint64_t> slot_bits;
  Column<uint64_t> slot_begin;  // the first slot of every kSlotBlock-th object

  RankedBits has_values;         // objects whose class has value fields
  Column<uint32_t> value_begin;  // of those objects, in value_bytes
  Column<uint8_t> value_bytes;   // zigzag varints
  Column<uint32_t> text_begin;   // of those objects: the index of their first text in text_end
  Column<uint64_t>
      text_end;  // of each text, in text_bytes; a text begins where the previous one ends
  Column<char> text_bytes;
  std::vector<bool> text_is_null;  // indexed by text

  // Objects with dangling references, which are not in `references`: ordered by id, at most
  // kMaxDanglingHolders.
  static constexpr size_t kMaxDanglingHolders = size_t{1} << 16;
  std::vector<ObjectId> dangling_holders;

  std::vector<HeapRoot> roots;
  std::vector<HeapStaticField> statics;  // ordered by holder, then slot
  std::vector<HeapDependent> dependents;
  std::vector<HeapMonitor> monitors;             // ordered by object
  std::string monitors_unknown_because;          // a sentence if monitors may be missing
  std::vector<HeapThread> threads;               // ordered by os_id
  std::vector<HeapRange> ranges;                 // ascending
  std::vector<uint32_t> range_first, range_end;  // ids, parallel to ranges

  static constexpr uint32_t kSlotBlock = 64;

  ClassIndex ClassOf(ObjectId id) const {
    const uint32_t low = class_low[id];
    return class_high.empty() ? low : low | uint32_t{class_high[id]} << 16;
  }
  uint64_t Length(ObjectId id) const {
    return has_length.Get(id) ? lengths[has_length.Rank(id)] : 0;
  }
  // Fills range_first and range_end from ranges and index.
  void PlaceRanges();
  // Brings `statics` into their order.
  void SortStatics();
  // Likewise `monitors` and `threads`; also drops monitors without an object, and duplicates.
  void SortThreads();
};

}  // namespace hindsight::analyzer
