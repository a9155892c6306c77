// Fields of objects, by name.
//
//   ObjectFields fields(model);
//   const auto next = fields.Slot("_next");
//   const ObjectId node = fields.Get(id, next);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// The index of a name in a class is looked up once. Memory: 4 bytes per name and class. Not
// thread-safe.
class ObjectFields {
 public:
  enum class SlotName : size_t {};
  enum class ValueName : size_t {};

  // `model` must outlive this.
  explicit ObjectFields(const HeapModel& model) : model_(&model) {}

  // `path` as in HeapClass::slot_names; for a struct's field, the path from the object that
  // contains it.
  SlotName Slot(std::string_view path);
  ValueName Value(std::string_view path);

  // kNoObject: null, or the class has no such field.
  ObjectId Get(ObjectId object, SlotName name) const;
  std::optional<int64_t> Get(ObjectId object, ValueName name) const;
  bool Has(ClassIndex type, SlotName name) const { return Place(slots_, name, type) >= 0; }

 private:
  struct Name {
    std::string path;
    mutable std::vector<int32_t> places;  // indexed by class
  };
  static constexpr int32_t kUnknown = -2;
  static constexpr int32_t kNone = -1;

  template <typename Handle>
  int32_t Place(const std::vector<Name>& names, Handle name, ClassIndex type) const {
    int32_t& place = names[static_cast<size_t>(name)].places[type];
    if (place == kUnknown) place = Find(names[static_cast<size_t>(name)].path, type, &names);
    return place;
  }
  int32_t Find(std::string_view path, ClassIndex type, const std::vector<Name>* of) const;
  size_t Add(std::vector<Name>& names, std::string_view path);

  const HeapModel* model_;
  std::vector<Name> slots_;
  std::vector<Name> values_;
};

}  // namespace hindsight::analyzer
