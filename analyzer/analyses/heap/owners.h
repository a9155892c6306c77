// Who refers to objects, as a few rows: the field, element or static that leads to them on their
// path from the root.
#pragma once

#include <string>

#include "analyzer/analyses/heap/root_paths.h"
#include "analyzer/analyses/heap/slot_names.h"

namespace hindsight::analyzer {

// Shop.Order._lines, Shop.Order[], static Shop.Cache._items; of a key that ForEachPathEdge gave.
std::string OwnerName(const HeapModel& model, const SlotNames& names, SlotKey key);

}  // namespace hindsight::analyzer
