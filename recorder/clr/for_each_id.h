// Iterates over the runtime's enumerators without copying their contents.
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>

#include "recorder/clr/info.h"

namespace hindsight::clr {

// Calls fn(id) for every id of an enumerator (ICorProfilerThreadEnum, ICorProfilerModuleEnum) and
// releases it; null is empty. Allocates nothing.
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

// The current managed threads; none if the runtime refuses. Outside of a pause: ThreadGate::ForEach
// (recorder/names/thread_gate.h), which knows which of them may be queried.
template <typename Fn>
void ForEachThread(ICorProfilerInfo10* info, Fn&& fn) {
  ICorProfilerThreadEnum* threads = nullptr;
  if (Succeeded(info->EnumThreads(&threads))) ForEachId<ThreadID>(threads, std::forward<Fn>(fn));
}

// The loaded modules.
template <typename Fn>
void ForEachModule(ICorProfilerInfo10* info, Fn&& fn) {
  ICorProfilerModuleEnum* modules = nullptr;
  if (Succeeded(info->EnumModules(&modules))) ForEachId<ModuleID>(modules, std::forward<Fn>(fn));
}

}  // namespace hindsight::clr
