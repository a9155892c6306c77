// What accumulates, below the nodes, delegates and timers that wrap it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/analyses/heap/accumulations.h"
#include "analyzer/analyses/places/type_owners.h"

namespace hindsight::analyzer {

struct AccumulationContents {
  // From an object of the accumulation down to an example of what it is about: nodes of
  // collections, delegates, timers, then the application's own object. At least one object.
  std::vector<ObjectId> chain;
  // The first so many of the chain are one inside the other as collections, delegates and timers
  // are; what is after these was found further below, in other objects of the framework
  // (subscriptions).
  size_t nested = 1;
  // Of the inspected objects of the accumulation, the share whose contents are held by nothing
  // else.
  double held_alone = 1;
};

// Inspects the accumulation's sample. `example`: the member of the sample where the chain begins.
// The chain continues to a class that a share of `same`, 0..1, of the inspected objects contain
// (LeakRules::same_contents). Below objects of the framework that are none of these, it continues
// to the nearest class of others that such a share of them alone hold.
AccumulationContents InspectAccumulation(const HeapModel& model, const TypeOwners& owners,
                                         const Dominators& dominators, const DominatorTree& tree,
                                         const Accumulation& accumulation, ObjectId example,
                                         double same);

// What an object's field refers to, by the field's name; nullopt: null, or there is no such field.
std::optional<ObjectId> FieldOf(const HeapModel& model, ObjectId id, std::string_view name);

// A lambda's class that captures variables.
bool IsClosure(const Dictionaries& dictionaries, TypeId type);

// The object of Entity Framework Core that knows all entities of a DbContext.
bool IsChangeTracker(const Dictionaries& dictionaries, TypeId type);

// By its fields: they are the same in all versions of the runtime.
bool IsDelegate(const HeapModel& model, ClassIndex type);

// The name in the metadata, without arity: System.Collections.Generic.List. For arrays, that of
// their elements.
std::string_view RawTypeName(const Dictionaries& dictionaries, TypeId type);

}  // namespace hindsight::analyzer
