// What the virtual tables of a heap share, created when a query first needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/exports/tables/object_tables.h"

namespace hindsight::analyzer {

// Types are identified by name: two classes with the same name, in different assemblies, are one
// type.
class ObjectTableIndex {
 public:
  ObjectTableSource source;

  const HeapGraph& graph() const { return source.model->graph; }
  size_t types() { return Named().size(); }
  const std::string& TypeName(uint32_t type) { return Named()[type]; }  // ordered by name
  uint32_t TypeOf(ObjectId id) { return Named(), type_of_class_[graph().ClassOf(id)]; }
  // types() if there is none with this name.
  size_t FindType(std::string_view name);
  // All objects, ordered by type, then by id. Memory: 4 bytes per object.
  std::span<const ObjectId> ByType() { return Sorted(), by_type_; }
  std::span<const ObjectId> OfType(size_t type) {
    Sorted();
    return std::span<const ObjectId>(by_type_).subspan(begin_[type],
                                                       begin_[type + 1] - begin_[type]);
  }

 private:
  // The names of all types, in ascending order.
  const std::vector<std::string>& Named();
  // Creates begin_ and by_type_.
  void Sorted();

  std::vector<std::string> names_;
  std::vector<uint32_t> type_of_class_;
  std::vector<uint32_t> begin_;  // indexed by type, with one extra at the end
  std::vector<ObjectId> by_type_;
};

}  // namespace hindsight::analyzer
