#include "recorder/sources/modules.h"

#include "recorder/clr/for_each_id.h"

namespace hindsight::recorder {

void Modules::Enumerate() {
  clr::ForEachModule(
      info_, [this](clr::ModuleID module) { Tell(EventKind::kModuleLoaded, module, true); });
}

void Modules::Tell(EventKind kind, clr::ModuleID module, bool seen) {
  emitter_.Emit<ModuleEvent>(kind, MonotonicNs(), [&](ModuleEvent& event) {
    event.module = module;
    event.seen = seen;
  });
}

}  // namespace hindsight::recorder
