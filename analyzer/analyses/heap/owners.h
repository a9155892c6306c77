// What references objects, in short: the field, element or static on the path from the root.
#pragma once

#include <string>

#include "analyzer/analyses/places/type_owners.h"
#include "analyzer/analyses/references/owner_path.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"

namespace hindsight::analyzer {

// Shop.Order._lines, Shop.Order[], static Shop.Cache._items; for a key from ForEachPathEdge.
std::string OwnerName(const HeapModel& model, const SlotNames& names, SlotKey key);

// The last field or static of yours on a path to objects of the type `held`, which may refer to
// each other. nullptr: only others hold them.
const OwnerStep* YourHolder(const HeapModel& model, const SlotNames& names,
                            const TypeOwners& owners, const OwnerPath& path, TypeId held);
// OrderCache._orders, for the result of YourHolder.
std::string HolderName(const HeapModel& model, const SlotNames& names, const OwnerStep& holder);

}  // namespace hindsight::analyzer
