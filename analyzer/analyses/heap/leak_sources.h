// Where the objects of an accumulation were allocated, as far as they were sampled
// (model/survivors.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct LeakSource {
  std::vector<std::string> path;  // methods, innermost first: as far as nearly all agree on callers
  uint64_t samples = 0;           // that came this way
  uint64_t of = 0;                // that have a stack
  bool is_held = false;           // they are of what the accumulation's objects hold, too
};

// One thread. Memory: two bits an object, once asked.
class LeakSources {
 public:
  // Both outlive this. `same`: of the samples at the place, the share that has to agree on a
  // caller, 0..1 (LeakRules::same_callers).
  LeakSources(const HeapModel& model, const Dominators& dominators, double same)
      : model_(model), dominators_(dominators), same_(same) {}

  // Of the objects of class `accumulation` whose dominator is one of `owners` (kSuperRoot is
  // allowed), and all that they dominate. Those of `type` alone count if there are enough of them.
  // Nothing where no stack is known. Linear in the samples and what dominates them.
  std::optional<LeakSource> Of(ClassIndex accumulation, const std::set<ObjectId>& owners,
                               TypeId type);

 private:
  bool IsIn(ObjectId id, ClassIndex accumulation, const std::set<ObjectId>& owners);

  const HeapModel& model_;
  const Dominators& dominators_;
  const double same_;
  std::vector<bool> known_, inside_;  // by object, of the accumulation in question
  std::vector<ObjectId> way_;
};

}  // namespace hindsight::analyzer
