// Names of references as people write them: the field, the element, or the static.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Equal for references that are the same but for an element's number: ordered, hashable by
// `Packed`.
struct SlotKey {
  enum class Kind : uint8_t { kField, kStatic, kDependent };
  Kind kind = Kind::kField;
  uint32_t owner = 0;  // kField: the first such class; kStatic: index in HeapGraph::statics()
  uint32_t slot = 0;   // kField: in HeapClass::slot_names; kUnknownSlot

  static constexpr uint32_t kUnknownSlot = UINT32_MAX;
  auto operator<=>(const SlotKey&) const = default;
  uint64_t Packed() const {
    return uint64_t{owner} << 32 | (slot ^ static_cast<uint32_t>(kind) << 30);
  }
};

// Immutable: any thread may read. Memory: 4 bytes a static field and a class.
class SlotNames {
 public:
  // `model` outlives this.
  explicit SlotNames(const HeapModel& model);

  // Slot as HeapGraph::SlotOfReference counts them:
  //   ._items        a field, with its path into embedded structs
  //   [3]            an element
  //   [3].value      a field of an element that is a struct
  //   static Shop.Cache._items
  //   thread static Shop.Cache._items (thread 1234)
  //   .?             the recording does not show which field
  std::string Slot(ObjectId holder, uint64_t slot) const;
  // The same of References(holder)[n].
  std::string Reference(ObjectId holder, size_t n) const;

  // What stands for references of this kind: elements and threads without their numbers.
  SlotKey Key(ObjectId holder, uint64_t slot) const;
  SlotKey ReferenceKey(ObjectId holder, size_t n) const;
  // ._items, [], [].value, static Shop.Cache._items, thread static Shop.Cache._items,
  // .(dependent)
  std::string Name(SlotKey key) const;

  // nullptr: the slot is no static field.
  const HeapStaticField* Static(ObjectId holder, uint64_t slot) const;
  // The object is an array of the runtime's that holds static fields.
  bool HoldsStatics(ObjectId holder) const;

 private:
  // Whether slots tell fields, as they do but for snapshots through the runtime's callbacks.
  bool SlotsAreKnown() const { return model_->graph.facts.method != HeapFacts::Method::kCallbacks; }
  std::string StaticName(const HeapStaticField& field) const;

  const HeapModel* model_;
  // By index in statics(): the first of the same field. Thread statics of one field lie in as many
  // arrays as there are threads.
  std::vector<uint32_t> first_of_field_;
  // By class: the first of the same type with the same slots. A type may have been loaded twice.
  std::vector<ClassIndex> first_of_type_;
};

}  // namespace hindsight::analyzer
