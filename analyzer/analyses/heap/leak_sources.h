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
  std::vector<std::string>
      path;  // methods, innermost first: as far as nearly all samples agree on the callers
  uint64_t samples = 0;  // with this path
  uint64_t of = 0;       // all those with a stack
  bool is_held = false;  // they include samples of what the accumulation's objects hold
};

// Not thread-safe. Memory: two bits per object, once used.
class LeakSources {
 public:
  // Both must outlive this. `same`: the share of the samples at the place that has to agree on a
  // caller, 0..1 (LeakRules::same_callers).
  LeakSources(const HeapModel& model, const Dominators& dominators, double same)
      : model_(model), dominators_(dominators), same_(same) {}

  // For the objects of class `accumulation` whose dominator is one of `owners` (which may include
  // kSuperRoot), and everything that they dominate. If there are enough samples of `type`, only
  // those count. nullopt if no stack is known. Linear in the samples and their dominators.
  std::optional<LeakSource> Of(ClassIndex accumulation, const std::set<ObjectId>& owners,
                               TypeId type);

 private:
  bool IsIn(ObjectId id, ClassIndex accumulation, const std::set<ObjectId>& owners);

  const HeapModel& model_;
  const Dominators& dominators_;
  const double same_;
  std::vector<bool> known_, inside_;  // by object, for the current accumulation
  std::vector<ObjectId> way_;
};

}  // namespace hindsight::analyzer
