// The rows of `hindsight allocations --retained` that both its JSON and its text show.
#pragma once

#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/allocations/retained_report.h"

namespace hindsight::analyzer {

// The query and its result.
struct SurvivorsAnswer {
  const HeapModel* model;
  const RetainedAllocations& report;
  const AllocationQuery& query;
};

Object<RetainedType, SurvivorsAnswer> SurvivorTypeFields();

}  // namespace hindsight::analyzer
