// Pages of objects, and the path to one, for the explorer (serve/): JSON only.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analyzer/analyses/heap/object_pages.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/report/heap/heap_fields.h"

namespace hindsight::analyzer {

// Objects of one type, largest retained size first.
struct InstancesView {
  std::string type;
  uint64_t objects = 0;
  uint64_t from = 0;
  std::span<const ObjectId> rows;
};
std::string InstancesJson(const HeapContext& heap, const InstancesView& view);

// `above`: their dominator; kSuperRoot: the top of the tree.
std::string DominatedJson(const HeapContext& heap, ObjectId above, const PageRange& range,
                          const ObjectPage& page);

// From a root to the object. Empty: it is unreachable.
std::string RootPathJson(const HeapContext& heap, const OwnerPath& path);

}  // namespace hindsight::analyzer
