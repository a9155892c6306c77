// From an address to the method and the native body that contain it.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

inline constexpr uint32_t kMaxCodeBodies = 256;  // native bodies of one method that are examined
inline constexpr uint32_t kMaxCodeRegions = 16;  // of one body
inline constexpr uint32_t kMaxIlMapEntries = 64u << 10;

// The result of a query about an address.
enum class CodeFound : uint8_t {
  kNone,     // there is no managed code there
  kFound,    // with empty regions: the method is known, but not its body
  kUnknown,  // in a dynamic method, and one has been unloaded since: it may be a different one
};

// The method whose code contains the instruction that `ip` refers to; 0: there is no managed code
// there (any more).
clr::FunctionID FunctionAt(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                           AddressKind kind, clr::ReJITID& rejit);
// Whether it is a DynamicMethod or IL stub. May be called for one that was unloaded: its memory is
// kept for the next one as long as its module is loaded.
bool IsDynamic(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, clr::FunctionID function);

// Like LookUpCode, without the IL map.
CodeFound FindCode(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                   AddressKind kind, CodeDescription& out);

// Replaces `out` with the native body that contains the instruction that `ip` refers to. Dynamic
// methods have no IL map. Allocates; a recorder thread.
CodeFound LookUpCode(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                     AddressKind kind, CodeDescription& out);

// The native code of a dynamic method, queried in the callback that announces its unload, which
// needs no Hold. Returns how many of `regions` were filled. Allocates nothing, but is not
// async-signal-safe.
uint32_t CodeOfUnloading(clr::ICorProfilerInfo10* info, clr::FunctionID method,
                         std::span<CodeRegion> regions);

}  // namespace hindsight::recorder
