#include "analyzer/exports/application_build.h"

#include "analyzer/base/text.h"

namespace hindsight::analyzer {

std::string ApplicationBuild(const Model& model) {
  const Dictionaries& dictionaries = model.dictionaries;
  for (ModuleId id = 1;; ++id) {
    const Module& module = dictionaries.module(id);
    if (module.path == 0 && module.assembly == 0) return {};  // after the last one
    if (module.is_native || dictionaries.String(module.assembly) != model.facts.application) {
      continue;
    }
    return FormatHex(module.mvid);
  }
}

}  // namespace hindsight::analyzer
