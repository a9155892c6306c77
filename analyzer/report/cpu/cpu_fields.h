// The rows of `hindsight cpu` that both its JSON and the tables of its text show.
#pragma once

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/fields/fields.h"

namespace hindsight::analyzer {

// The query and its result.
struct CpuAnswer {
  const Model* model;
  const CpuProfileReport& report;
  const CpuQuery& query;
};

Object<CpuThread, CpuAnswer> CpuThreadFields();

}  // namespace hindsight::analyzer
