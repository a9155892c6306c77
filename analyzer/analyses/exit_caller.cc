#include "analyzer/analyses/exit_caller.h"

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

std::string ExitCallText(const Model& model) {
  if (!model.exit_call) return {};
  // The JIT compiler may have put Environment.Exit itself into its caller.
  const Place place = Places(model).Find(model.dictionaries.Path(model.exit_call->stack));
  if (place.site == 0) return {};
  return MethodNames(model.dictionaries).Display(place.site) + " called Environment.Exit";
}

}  // namespace hindsight::analyzer
