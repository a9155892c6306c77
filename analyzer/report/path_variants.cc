#include "analyzer/report/path_variants.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

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

void AddOtherPath(std::vector<OtherPath>& paths, std::string text, uint64_t amount) {
  const auto same = std::find_if(paths.begin(), paths.end(),
                                 [&text](const OtherPath& path) { return path.text == text; });
  if (same == paths.end()) {
    paths.push_back({std::move(text), amount});
  } else {
    same->amount += amount;
  }
  std::stable_sort(paths.begin(), paths.end(),
                   [](const OtherPath& a, const OtherPath& b) { return a.amount > b.amount; });
}

}  // namespace hindsight::analyzer
