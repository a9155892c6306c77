// Several paths to one place, for reports on what happened there. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/method_names.h"

namespace hindsight::analyzer {

// How many paths to a place are shown in addition to the first one, in JSON and in text.
inline constexpr size_t kOtherPathsInJson = 8;
inline constexpr size_t kOtherPathsInText = 2;

// How `other` differs from `shown`, both innermost first: "by way of Shop.Retry.Run", the first
// method of `other` that is not on `shown` and is not infrastructure. If there is none: that the
// methods are the same, in a different order.
std::string OtherPathText(const Dictionaries& dictionaries, const MethodNames& names,
                          std::span<const MethodId> shown, std::span<const MethodId> other);

// Paths with the same text are merged; largest first.
struct OtherPath {
  std::string text;
  uint64_t amount = 0;  // throws, or time
};
void AddOtherPath(std::vector<OtherPath>& paths, std::string text, uint64_t amount);

}  // namespace hindsight::analyzer
