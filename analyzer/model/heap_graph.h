// A heap snapshot as a graph: columns of objects, their references as CSR, roots, and names of
// slots.
//
// Objects have dense ids in ascending order of address. Memory is that of the columns: see
// bench/graph. Immutable once built, so any thread may read it.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/model/dictionaries.h"
#include "analyzer/model/heap_columns.h"
#include "analyzer/model/heap_types.h"
#include "analyzer/model/survivors.h"

namespace hindsight::analyzer {

class HeapGraph {
 public:
  HeapFacts facts;

  HeapGraph() = default;
  explicit HeapGraph(HeapColumns columns) : columns_(std::move(columns)) {}

  // For building in steps; the graph is empty afterwards.
  HeapColumns TakeColumns() && { return std::move(columns_); }

  uint32_t size() const { return columns_.index.size(); }  // objects
  std::span<const HeapClass> classes() const { return columns_.classes; }
  ClassIndex ClassOf(ObjectId id) const { return columns_.ClassOf(id); }
  uint64_t Bytes(ObjectId id) const {  // shallow size
    const HeapShape& shape = columns_.shapes[ClassOf(id)];
    return shape.Bytes(shape.component_bytes == 0 ? 0 : Length(id));
  }
  // Elements or characters; 0 for objects without a length.
  uint64_t Length(ObjectId id) const { return columns_.Length(id); }
  uint64_t Address(ObjectId id) const;
  Generation GenerationOf(ObjectId id) const;
  // The object that contains this address; kNoObject if there is none.
  ObjectId Find(uint64_t address) const;

  // The object's references, without nulls, in the order of slots, including repetitions.
  std::span<const ObjectId> References(ObjectId id) const {
    const uint32_t begin = columns_.reference_begin[id];
    return {columns_.references.data() + begin, columns_.reference_begin[id + 1] - begin};
  }
  // A hint that References(id) will be called.
  void Prefetch(ObjectId id) const { __builtin_prefetch(&columns_.reference_begin[id]); }
  // The slot of References(id)[n], counting nulls: for an array of structs, element * slots of the
  // class + slot in the element. Costs a few hundred nanoseconds: for display.
  uint64_t SlotOfReference(ObjectId id, size_t n) const;
  // Calls fn(slot, target) for each of References(id), in order: for many of them far cheaper than
  // calling SlotOfReference for each.
  template <typename Fn>
  void ForEachReference(ObjectId id, const Fn& fn) const;
  // The address of a slot, from HeapClass::slot_offsets.
  uint64_t SlotAddress(ObjectId id, uint64_t slot) const;

  // Values that the recorder was allowed to record; `field` is an index into
  // HeapClass::value_fields.
  std::optional<int64_t> Value(ObjectId id, uint32_t field) const;
  std::optional<std::string_view> Text(ObjectId id, uint32_t field) const;
  // By the field's name: "_size". `dictionaries` are the model's.
  std::optional<int64_t> Value(const Dictionaries& dictionaries, ObjectId id,
                               std::string_view field) const;

  // Objects with references to objects that are not here (see HeapFacts::dangling_references). In a
  // complete snapshot they are garbage: the sweep of a background collection frees objects to which
  // dead objects of younger generations, which it does not sweep, still refer.
  std::span<const ObjectId> dangling_holders() const { return columns_.dangling_holders; }

  std::span<const HeapRoot> roots() const { return columns_.roots; }
  std::span<const HeapStaticField> statics() const {
    return columns_.statics;
  }  // ordered by holder, then slot
  std::span<const HeapDependent> dependents() const { return columns_.dependents; }
  std::span<const HeapMonitor> monitors() const { return columns_.monitors; }  // ordered by object
  const std::string& monitors_unknown_because() const { return columns_.monitors_unknown_because; }
  std::span<const HeapThread> threads() const { return columns_.threads; }  // ordered by os_id
  std::span<const HeapRange> ranges() const { return columns_.ranges; }

  uint64_t memory_bytes() const;

 private:
  // The index of the object's first slot in slot_bits.
  uint64_t SlotBegin(ObjectId id) const;

  HeapColumns columns_;
};

template <typename Fn>
void HeapGraph::ForEachReference(ObjectId id, const Fn& fn) const {
  const std::span<const ObjectId> references = References(id);
  size_t n = 0;
  if (!columns_.has_slots) {
    for (; n < references.size(); ++n) fn(uint64_t{n}, references[n]);
    return;
  }
  if (references.empty()) return;
  const uint64_t begin = SlotBegin(id);
  for (uint64_t word = begin / 64; n < references.size() && word < columns_.slot_bits.size();
       ++word) {
    uint64_t bits = columns_.slot_bits[word];
    if (word == begin / 64) bits &= ~uint64_t{0} << (begin % 64);
    for (; bits != 0 && n < references.size(); bits &= bits - 1) {
      fn(word * 64 + static_cast<uint64_t>(std::countr_zero(bits)) - begin, references[n++]);
    }
  }
}

// A heap snapshot and the names in it.
struct HeapModel {
  std::string application;
  uint32_t pid = 0;
  std::string runtime_version;
  std::string host;
  Dictionaries dictionaries;
  HeapGraph graph;
  Survivors survivors;
};

}  // namespace hindsight::analyzer
