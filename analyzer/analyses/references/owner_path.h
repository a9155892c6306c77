// How an object is held: the references from a root down to it, with field names.
#pragma once

#include <string>
#include <vector>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct OwnerStep {
  enum class Kind : uint8_t { kStatic, kThreadStatic, kServiceContainer, kRoot, kField };
  Kind kind = Kind::kField;
  SlotKey key;                       // except for kServiceContainer and kRoot
  RootKind root = RootKind::kOther;  // kRoot
  MethodId method = 0;               // kRoot: whose frame holds it
  TypeId from = 0;                   // kField
  TypeId to = 0;
};

// `objects` is parallel to `steps`: the object that each leads to. What leads to a static field or
// to a service container is left out. A stretch through objects of one class is a single step from
// its first to its last.
struct OwnerPath {
  std::vector<OwnerStep> steps;
  std::vector<ObjectId> objects;

  // Equal for paths that only differ in objects, not in fields and types.
  std::string Signature() const;
};

// `objects`: each refers to the next, as returned by RootPaths::PathTo.
OwnerPath MakeOwnerPath(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                        const std::vector<ObjectId>& objects);

// A step as text, with full names: {"static", "Shop.Cache._items", "List<...>"}; {"Shop.Cache",
// "._items", "List<...>"}; {"strong handle", "", "Shop.Request"}.
struct OwnerPhrases {
  std::string from, field, to;
};
OwnerPhrases DescribeStep(const HeapModel& model, const SlotNames& names, const OwnerStep& step);

// Parts to be joined with arrows, types without namespaces: see PathParts.
std::vector<std::string> OwnerParts(const HeapModel& model, const SlotNames& names,
                                    const OwnerPath& path);

}  // namespace hindsight::analyzer
