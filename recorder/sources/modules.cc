#include "recorder/sources/modules.h"

#include <iterator>

namespace hindsight::recorder {

void Modules::Enumerate() {
  clr::ICorProfilerModuleEnum* modules = nullptr;
  if (clr::Failed(info_->EnumModules(&modules))) return;
  clr::ModuleID batch[64];
  uint32_t count = 0;
  while (clr::Succeeded(modules->Next(std::size(batch), batch, &count)) && count > 0) {
    for (uint32_t i = 0; i < count; ++i) Tell(EventKind::kModuleLoaded, batch[i], true);
    if (count < std::size(batch)) break;
  }
  modules->Release();
}

void Modules::Tell(EventKind kind, clr::ModuleID module, bool seen) {
  emitter_.Emit<ModuleEvent>(kind, MonotonicNs(), [&](ModuleEvent& event) {
    event.module = module;
    event.seen = seen;
  });
}

}  // namespace hindsight::recorder
