// Source `modules`, on the application's threads: loaded modules, their paths and builds.
#pragma once

#include "recorder/base/clock.h"
#include "recorder/clr/info.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

struct ModuleEvent {  // kModuleLoaded, kModuleUnloaded
  EventHeader header;
  uint64_t module;  // ModuleID
  bool seen;        // it was already loaded when the recording began
};

class Modules {
 public:
  Modules(clr::ICorProfilerInfo10* info, Emitter& emitter) : info_(info), emitter_(emitter) {}

  // After an attach: reports the modules that are already loaded.
  void Enumerate();

  void Loaded(clr::ModuleID module) {
    Emit(EventKind::kModuleLoaded, MonotonicNs(), module, false);
  }
  void Unloaded(clr::ModuleID module, uint64_t time_ns) {
    Emit(EventKind::kModuleUnloaded, time_ns, module, false);
  }

 private:
  void Emit(EventKind kind, uint64_t time_ns, clr::ModuleID module, bool seen);

  clr::ICorProfilerInfo10* info_;
  Emitter& emitter_;
};

}  // namespace hindsight::recorder
