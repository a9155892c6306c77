// Resolves TYPE and ADDRESS on a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// All objects of some classes, or one object.
struct HeapTargets {
  std::vector<bool> classes;  // indexed by ClassIndex; empty: `object`
  ObjectId object = kNoObject;

  bool Contains(const HeapGraph& graph, ObjectId id) const {
    return classes.empty() ? id == object : classes[graph.ClassOf(id)];
  }
};

// 0x7f3a00001234, also inside an object; without 0x if it is unambiguous. An error names the
// neighboring objects.
Result<ObjectId> FindObject(const HeapModel& model, std::string_view address);

// A type's name with or without namespaces, or a pattern with * and ?, ignoring case. Matches only
// types with objects. An error names the most similar types.
Result<HeapTargets> FindTargets(const HeapModel& model, std::string_view type_or_address);

// 0x7f3a00001234
std::string AddressText(uint64_t address);

}  // namespace hindsight::analyzer
