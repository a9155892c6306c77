// The rows of `hindsight allocations` that both its JSON and the tables of its text show.
#pragma once

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/fields/fields.h"

namespace hindsight::analyzer {

Object<AllocatedType, AllocationReport> AllocatedTypeFields();
Object<AllocatingThread, AllocationReport> AllocatingThreadFields();

}  // namespace hindsight::analyzer
