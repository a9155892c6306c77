// A list of names that stays short.
#pragma once

#include <span>
#include <string>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

// Of methods: "Shop.Cart.Add", "Shop.Cart.Add and Shop.Mail.Send", "Shop.Cart.Add and 3 other
// methods". At least one.
inline std::string MethodList(std::span<const std::string> names) {
  if (names.size() == 1) return names[0];
  return names[0] + (names.size() == 2
                         ? " and " + names[1]
                         : " and " + FormatCount(names.size() - 1) + " other methods");
}

}  // namespace hindsight::analyzer
