#include "analyzer/analyses/exit_caller.h"

#include <algorithm>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

std::string ExitCallText(const Model& model) {
  if (!model.exit_call) return {};
  const std::vector<MethodId> path = model.dictionaries.Path(model.exit_call->stack);
  const MethodNames names(model.dictionaries);
  const MethodId site = Places(model).Find(path).site;
  if (site == 0) return {};
  const bool is_exit = std::ranges::any_of(
      path, [&](MethodId method) { return names.Display(method) == "System.Environment.Exit"; });
  return names.Display(site) + (is_exit ? " called Environment.Exit" : " ended it");
}

}  // namespace hindsight::analyzer
