// Whether threads could run and had no processor: then other processes, or a limit, held the
// program up, and how long anything took says little of the program.
#pragma once

#include <string>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct ProcessorWaitRules {
  // On average over the time: threads that were ready to run and did not, at least; and processors
  // that the process used, at most, of those that its threads could have used.
  double least_ready = 1;
  double most_used = 0.5;
  double least_ns = 2e9;  // of less time nobody can know
};

struct ProcessorWait {
  bool is_short = false;
  double ready = 0, used = 0;  // threads, on average; 0: not known
  double cpus = 0;             // that the process may use; 0: not known
};

ProcessorWait ProcessorWaitOf(const Model& model, const ProcessorWaitRules& rules = {});

// "on average 17 threads were ready to run, and the process got 0.2 of 2 CPUs"
std::string ProcessorWaitText(const ProcessorWait& wait);

}  // namespace hindsight::analyzer
