// From an address to the method and the native body that hold it.
#pragma once

#include <cstdint>

#include "recorder/clr/info.h"
#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

inline constexpr uint32_t kMaxCodeBodies = 256;  // native bodies of one method that are looked at
inline constexpr uint32_t kMaxCodeRegions = 16;  // of one body
inline constexpr uint32_t kMaxIlMapEntries = 64u << 10;

// The method whose code holds what `ip` stands for; 0: there is no managed code there (any more).
clr::FunctionID FunctionAt(clr::ICorProfilerInfo10* info, uintptr_t ip, AddressKind kind,
                           clr::ReJITID& rejit);

// As LookUpCode, without the IL map.
bool FindCode(clr::ICorProfilerInfo10* info, uintptr_t ip, AddressKind kind, CodeDescription& out);

// Replaces `out` by the native body that holds what `ip` stands for. False: there is no managed
// code there (any more). True with empty regions: the method is known and its body is not.
// Allocates; a recorder thread.
bool LookUpCode(clr::ICorProfilerInfo10* info, uintptr_t ip, AddressKind kind,
                CodeDescription& out);

}  // namespace hindsight::recorder
