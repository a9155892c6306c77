// Names of references as people write them: the field, the element, or the static field; and the
// objects at which the path to an object may begin.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Equal for references that only differ in an element's number. Ordered; hashable by `Packed`.
struct SlotKey {
  enum class Kind : uint8_t { kField, kStatic, kDependent };
  Kind kind = Kind::kField;
  uint32_t owner = 0;  // kField: the first such class; kStatic: index into HeapGraph::statics()
  uint32_t slot = 0;   // kField: index into HeapClass::slot_names, or kUnknownSlot

  static constexpr uint32_t kUnknownSlot = UINT32_MAX;
  auto operator<=>(const SlotKey&) const = default;
  uint64_t Packed() const {
    return uint64_t{owner} << 32 | (slot ^ static_cast<uint32_t>(kind) << 30);
  }
};

// Immutable, so any thread may read it. Memory: 4 bytes per static field and per class.
class SlotNames {
 public:
  // `model` must outlive this.
  explicit SlotNames(const HeapModel& model);

  // The name of a slot, as HeapGraph::SlotOfReference counts them:
  //   ._items        a field, with its path into embedded structs
  //   [3]            an element
  //   [3].value      a field of an element that is a struct
  //   static Shop.Cache._items
  //   thread static Shop.Cache._items (thread 1234)
  //   .?             the recording does not show which field
  std::string Slot(ObjectId holder, uint64_t slot) const;
  // The same for References(holder)[n].
  std::string Reference(ObjectId holder, size_t n) const;

  // The key of references of this kind: without the numbers of elements and threads.
  SlotKey Key(ObjectId holder, uint64_t slot) const;
  SlotKey ReferenceKey(ObjectId holder, size_t n) const;
  // ._items, [], [].value, static Shop.Cache._items, thread static Shop.Cache._items,
  // .(dependent)
  std::string Name(SlotKey key) const;

  // nullptr: the slot is not a static field.
  const HeapStaticField* Static(ObjectId holder, uint64_t slot) const;
  // Whether the object is one of the runtime's arrays that hold static fields.
  bool HoldsStatics(ObjectId holder) const;
  // Whether it is a service container of Microsoft.Extensions.DependencyInjection, or its root
  // scope. What it holds lives as long as the application, whichever running request leads to it.
  // Never, if there are so many that the containers themselves accumulate.
  bool IsServiceContainer(ObjectId id) const;

 private:
  // Whether slots identify fields, as they do except in snapshots taken through the runtime's
  // callbacks.
  bool SlotsAreKnown() const { return model_->graph.facts.method != HeapFacts::Method::kCallbacks; }
  std::string StaticName(const HeapStaticField& field) const;
  void FindServiceContainers();

  const HeapModel* model_;
  // Indexed as statics(): the first with the same field. Thread statics of one field are in as many
  // arrays as there are threads.
  std::vector<uint32_t> first_of_field_;
  // Indexed by class: the first with the same type and the same slots. A type may have been loaded
  // twice.
  std::vector<ClassIndex> first_of_type_;
  std::vector<ObjectId> service_containers_;  // ordered
};

}  // namespace hindsight::analyzer
