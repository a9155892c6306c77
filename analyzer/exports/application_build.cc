#include "analyzer/exports/application_build.h"

#include <cstdio>

namespace hindsight::analyzer {

std::string ApplicationBuild(const Model& model) {
  const Dictionaries& dictionaries = model.dictionaries;
  for (ModuleId id = 1;; ++id) {
    const Module& module = dictionaries.module(id);
    if (module.path == 0 && module.assembly == 0) return {};  // beyond the last
    if (module.is_native || dictionaries.String(module.assembly) != model.facts.application) {
      continue;
    }
    std::string text;
    for (const char c : module.mvid) {
      char byte[3];
      std::snprintf(byte, sizeof(byte), "%02x", static_cast<unsigned char>(c));
      text += byte;
    }
    return text;
  }
}

}  // namespace hindsight::analyzer
