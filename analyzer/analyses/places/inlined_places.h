// Recognizes two places as one: that of a small method and, from some time on, that of its caller,
// into which the JIT has inlined it.
//
//   InlinedPlaces inlined(places);
//   for (...) inlined.Add(what, path, first_ns, last_ns);
//   const PlaceId place = inlined.Of(what, path);
//
// The rule: there are events of one kind in a method, and in another one that called it. Tiers only
// go up, so those in the caller begin when those in the method, called by it, have ended. A program
// in which both do the same continues to do both. The body of an async method is never inlined, so
// nothing moves beyond one. If two methods may have moved into one caller, neither is assumed to
// have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

struct InliningRules {
  // Calls in progress continue in the code in which they began: for this long, and this part of the
  // shorter of the two periods.
  int64_t settle_ns = 1'000'000'000;
  double settle_part = 0.1;
  // How likely unrelated events may be to come in this order.
  double chance = 1e-4;
  // This many methods may have moved into their caller together.
  size_t most_together = 3;
};

// The callers on `path` into which the site may be inlined, of the same kind of code (yours, a
// package's, the framework's); each calls the one before.
std::span<const MethodId> InliningCallers(Places& places, std::span<const MethodId> path,
                                          MethodId site, const InliningRules& rules = {});

// One thread.
class InlinedPlaces {
 public:
  // `places` must outlive this.
  explicit InlinedPlaces(Places& places, const InliningRules& rules = {})
      : places_(places), rules_(rules) {}

  // Events of kind `what`, which is defined by the user of this class, on a path (see Places::Of).
  struct Events {
    uint64_t count = 0;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    Events& operator+=(const Events& other);
  };
  void Add(uint64_t what, std::span<const MethodId> path, const Events& events);
  // After all have been added.
  PlaceId Of(uint64_t what, std::span<const MethodId> path);

 private:
  struct Key {
    uint64_t what = 0;
    PlaceId place = 0;
    bool is_direct = false;  // it happened in the site itself
    auto operator<=>(const Key&) const = default;
  };

  Key KeyOf(uint64_t what, std::span<const MethodId> path);
  bool IsFollowedBy(const Events& method, const Events& caller) const;
  // The only method that may have moved into this one.
  std::optional<PlaceId> MovedInto(const Key& key) const;

  Places& places_;
  const InliningRules rules_;
  std::map<Key, Events> events_;
  std::map<Key, std::map<PlaceId, Events>> callees_;  // called by the key's site
};

}  // namespace hindsight::analyzer
