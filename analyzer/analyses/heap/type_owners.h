// Whose a class of the heap is: by its assembly, where that is known (module_owners.h).
#pragma once

#include "analyzer/analyses/places/module_owners.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// One thread.
class TypeOwners {
 public:
  explicit TypeOwners(const HeapModel& model)  // which outlives this
      : dictionaries_(model.dictionaries), modules_(model.dictionaries, model.application) {}

  // The framework's: of System.Dictionary<...> also if its arguments are the application's. So are
  // packages that are called like it, which hold much of what they make for an application. Where
  // the assembly is unknown the name decides.
  bool IsFramework(TypeId type) const;
  // By its assembly; where that is unknown, whatever is not the framework's.
  bool IsYours(TypeId type) const;
  // The arguments, too.
  bool IsFrameworkAltogether(TypeId type) const;

 private:
  const Dictionaries& dictionaries_;
  mutable ModuleOwners modules_;
};

}  // namespace hindsight::analyzer
