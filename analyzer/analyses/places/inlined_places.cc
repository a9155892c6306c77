#include "analyzer/analyses/places/inlined_places.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace hindsight::analyzer {

std::span<const MethodId> InliningCallers(Places& places, std::span<const MethodId> path,
                                          MethodId site, const InliningRules& rules) {
  const auto at = std::find(path.begin(), path.end(), site);
  if (at == path.end()) return {};
  const std::span<const MethodId> all(at + 1, path.end());
  FrameKinds& kinds = places.kinds();
  const FrameKind kind = kinds.Of(site);
  size_t count = 0;
  MethodId callee = site;
  while (count < std::min(all.size(), rules.most_together) && !places.IsStateMachine(callee) &&
         kinds.Of(all[count]) == kind) {
    callee = all[count++];
  }
  return all.first(count);
}

InlinedPlaces::Events& InlinedPlaces::Events::operator+=(const Events& other) {
  count += other.count;
  first_ns = std::min(first_ns, other.first_ns);
  last_ns = std::max(last_ns, other.last_ns);
  return *this;
}

InlinedPlaces::Key InlinedPlaces::KeyOf(uint64_t what, std::span<const MethodId> path) {
  return {what, places_.Of(path), places_.Find(path).through == 0};
}

void InlinedPlaces::Add(uint64_t what, std::span<const MethodId> path, const Events& events) {
  const Place place = places_.Find(path);
  const Key key = KeyOf(what, path);
  events_[key] += events;
  if (!place.is_yours) return;
  const std::span<const MethodId> callers = InliningCallers(places_, path, place.site, rules_);
  for (const MethodId& caller : callers) {
    const PlaceId in_caller = places_.Of(std::span(&caller, std::to_address(path.end())));
    // A recursive call does not count as a caller.
    if (in_caller == key.place) continue;
    callees_[{what, in_caller, key.is_direct}][key.place] += events;
  }
}

bool InlinedPlaces::IsFollowedBy(const Events& method, const Events& caller) const {
  const int64_t shorter =
      std::min(method.last_ns - method.first_ns, caller.last_ns - caller.first_ns);
  const double settles = std::min(static_cast<double>(rules_.settle_ns),
                                  rules_.settle_part * static_cast<double>(shorter));
  if (static_cast<double>(method.last_ns - caller.first_ns) > settles) return false;
  // The chance of one order among all orders of the two kinds.
  const auto a = static_cast<double>(method.count), b = static_cast<double>(caller.count);
  return std::lgamma(a + 1) + std::lgamma(b + 1) - std::lgamma(a + b + 1) <=
         std::log(rules_.chance);
}

std::optional<PlaceId> InlinedPlaces::MovedInto(const Key& key) const {
  const auto own = events_.find(key);
  const auto callees = callees_.find(key);
  if (own == events_.end() || callees == callees_.end()) return std::nullopt;
  std::optional<PlaceId> moved;
  for (const auto& [callee, events] : callees->second) {
    if (moved || !IsFollowedBy(events, own->second)) return std::nullopt;
    moved = callee;
  }
  return moved;
}

PlaceId InlinedPlaces::Of(uint64_t what, std::span<const MethodId> path) {
  Key key = KeyOf(what, path);
  for (size_t i = 0; i < rules_.most_together; ++i) {
    const std::optional<PlaceId> callee = MovedInto(key);
    if (!callee) break;
    key.place = *callee;
  }
  return key.place;
}

}  // namespace hindsight::analyzer
