// Several paths to one place, in the reports of what happened there. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/method_names.h"

namespace hindsight::analyzer {

// Of a place's paths so many are told besides the first: in JSON, and in text.
inline constexpr size_t kOtherPathsInJson = 8;
inline constexpr size_t kOtherPathsInText = 2;

// What tells `other` from `shown`, both innermost first: "by way of Shop.Retry.Run", the first
// method of `other` that is not on `shown` and is no machinery; where there is none, that it is the
// same methods in another way.
std::string OtherPathText(const Dictionaries& dictionaries, const MethodNames& names,
                          std::span<const MethodId> shown, std::span<const MethodId> other);

// Paths that are told alike, as one; the most first.
struct OtherPath {
  std::string text;
  uint64_t amount = 0;  // throws, or time
};
void AddOtherPath(std::vector<OtherPath>& paths, std::string text, uint64_t amount);

}  // namespace hindsight::analyzer
