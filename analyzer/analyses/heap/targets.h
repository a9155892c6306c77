// Resolves TYPE and ADDRESS of a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// All objects of some classes, or one object.
struct HeapTargets {
  std::vector<bool> classes;  // by ClassIndex; empty: `object`
  ObjectId object = kNoObject;

  bool Contains(const HeapGraph& graph, ObjectId id) const {
    return classes.empty() ? id == object : classes[graph.ClassOf(id)];
  }
};

// 0x7f3a00001234, also into an object; without 0x when it can be nothing else. An error names the
// objects on both sides.
Result<ObjectId> FindObject(const HeapModel& model, std::string_view address);

// A type's name with or without namespaces, or a pattern with * and ?; case does not matter. Only
// types with objects are meant. An error names the types that come nearest.
Result<HeapTargets> FindTargets(const HeapModel& model, std::string_view type_or_address);

// 0x7f3a00001234
std::string AddressText(uint64_t address);

}  // namespace hindsight::analyzer
