#include "recorder/sources/modules/modules.h"

#include "recorder/clr/for_each_id.h"

namespace hindsight::recorder {

void Modules::Enumerate() {
  const uint64_t as_of_ns = MonotonicNs();  // it may be unloaded before it is reported
  clr::ForEachModule(
      info_, [&](clr::ModuleID module) { Emit(EventKind::kModuleLoaded, as_of_ns, module, true); });
}

void Modules::Emit(EventKind kind, uint64_t time_ns, clr::ModuleID module, bool seen) {
  emitter_.Emit<ModuleEvent>(kind, time_ns, [&](ModuleEvent& event) {
    event.module = module;
    event.seen = seen;
  });
}

}  // namespace hindsight::recorder
