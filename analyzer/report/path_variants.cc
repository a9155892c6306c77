#include "analyzer/report/path_variants.h"

#include <set>
#include <string_view>

namespace hindsight::analyzer {

std::string OtherPathText(const Dictionaries& dictionaries, const MethodNames& names,
                          std::span<const MethodId> shown, std::span<const MethodId> other) {
  std::set<std::string_view> known;
  for (const MethodId method : shown) known.insert(names.Display(method));
  for (const MethodId method : other) {
    const std::string& name = names.Display(method);
    if (method == 0 || known.contains(name) || dictionaries.method(method).is_plumbing) continue;
    return "through " + name;
  }
  return "through the same methods, in a different order";
}

}  // namespace hindsight::analyzer
