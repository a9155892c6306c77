// What references objects, in short: the field, element or static on the path from the root.
#pragma once

#include <string>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"

namespace hindsight::analyzer {

// Shop.Order._lines, Shop.Order[], static Shop.Cache._items; for a key from ForEachPathEdge.
std::string OwnerName(const HeapModel& model, const SlotNames& names, SlotKey key);

}  // namespace hindsight::analyzer
