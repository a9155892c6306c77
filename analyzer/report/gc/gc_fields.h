// The rows of `hindsight gc` that both its JSON and the tables of its text show.
#pragma once

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/fields/fields.h"

namespace hindsight::analyzer {

Object<PauseGroup, GcReport> PauseGroupFields();
Object<Pause> PauseFields();
Object<CollectionGroup> CollectionGroupFields();

}  // namespace hindsight::analyzer
