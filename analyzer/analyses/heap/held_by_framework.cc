#include "analyzer/analyses/heap/held_by_framework.h"

#include <map>
#include <utility>

#include "analyzer/analyses/heap/accumulation_contents.h"

namespace hindsight::analyzer {

bool HeldByFramework::Is(const Accumulation& one) const {
  return one.owner != kSuperRoot && !names_.HoldsStatics(one.owner) &&
         owners_.IsFramework(TypeOf(one.owner));
}

void HeldByFramework::PutYoursFirst(std::vector<Accumulation>& found, uint64_t fewest,
                                    uint64_t most_beside) const {
  const auto is_yours = [this](const Accumulation& one) {
    return owners_.IsYours(OfClass(one.type));
  };
  std::map<ObjectId, Accumulation*> of_owner;
  for (Accumulation& one : found) {
    if (!Is(one)) continue;
    const auto [place, is_new] = of_owner.try_emplace(one.owner, &one);
    Accumulation& first = *place->second;
    if (is_new || is_yours(first) || !is_yours(one) || one.count < fewest ||
        one.count * most_beside < first.count) {
      continue;
    }
    one.retained = IsChangeTracker(model_.dictionaries, TypeOf(one.owner))
                       ? dominators_.retained[one.owner]
                       : one.retained + first.retained;
    std::swap(one, first);
  }
}

}  // namespace hindsight::analyzer
