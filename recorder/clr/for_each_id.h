// The runtime's enumerators, without a copy of what they list.
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>

#include "recorder/clr/info.h"

namespace hindsight::clr {

// fn(id) for every id of an enumerator (ICorProfilerThreadEnum, ICorProfilerModuleEnum), which is
// released; null lists nothing. Allocates nothing.
template <typename Id, typename Enumerator, typename Fn>
void ForEachId(Enumerator* ids, Fn&& fn) {
  if (ids == nullptr) return;
  Id batch[64];
  uint32_t count = 0;
  while (Succeeded(ids->Next(std::size(batch), batch, &count)) && count > 0) {
    for (uint32_t i = 0; i < count; ++i) fn(batch[i]);
    if (count < std::size(batch)) break;
  }
  ids->Release();
}

// Managed threads that there are now; none where the runtime refuses to say.
template <typename Fn>
void ForEachThread(ICorProfilerInfo10* info, Fn&& fn) {
  ICorProfilerThreadEnum* threads = nullptr;
  if (Succeeded(info->EnumThreads(&threads))) ForEachId<ThreadID>(threads, std::forward<Fn>(fn));
}

// Loaded modules.
template <typename Fn>
void ForEachModule(ICorProfilerInfo10* info, Fn&& fn) {
  ICorProfilerModuleEnum* modules = nullptr;
  if (Succeeded(info->EnumModules(&modules))) ForEachId<ModuleID>(modules, std::forward<Fn>(fn));
}

}  // namespace hindsight::clr
