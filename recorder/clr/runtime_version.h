// The version of the runtime that loaded the profiler.
#pragma once

#include <cstdint>

#include "recorder/clr/info.h"

namespace hindsight::clr {

// 0: unknown.
inline int MajorVersion(ICorProfilerInfo10* info) {
  uint16_t major = 0;
  info->GetRuntimeInformation(nullptr, nullptr, &major, nullptr, nullptr, nullptr, 0, nullptr,
                              nullptr);
  return major;
}

}  // namespace hindsight::clr
