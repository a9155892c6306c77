// Who owns a class of the heap: decided by its assembly, if known (module_owners.h).
#pragma once

#include "analyzer/analyses/places/module_owners.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Not thread-safe.
class TypeOwners {
 public:
  explicit TypeOwners(const HeapModel& model)  // must outlive this
      : dictionaries_(model.dictionaries), modules_(model.dictionaries, model.application) {}

  // Whether the framework owns it: System.Dictionary<...> also if its arguments are the
  // application's. Includes packages with the framework's names, which hold much of what they
  // create for an application. If the assembly is unknown, the name decides.
  bool IsFramework(TypeId type) const;
  // Decided by its assembly; if that is unknown, everything that is not the framework's.
  bool IsYours(TypeId type) const;
  // Including its type arguments.
  bool IsFrameworkAltogether(TypeId type) const;

 private:
  const Dictionaries& dictionaries_;
  mutable ModuleOwners modules_;
};

}  // namespace hindsight::analyzer
