#include "trigger/attachment.h"
#include "trigger/preflight/preflight.h"

namespace hindsight::trigger {

// All processes see the same files.
Expected<ChosenLibrary> ChooseLibrary(const Process&, const std::string& given) {
  if (!given.empty()) return ChosenLibrary{given, nullptr, false};
  Expected<std::string> own = FindLibrary();
  if (!own) return own.failure();
  return ChosenLibrary{*own, nullptr, false};
}

}  // namespace hindsight::trigger
