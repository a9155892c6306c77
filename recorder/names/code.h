// From an address to the method and the native body that hold it.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

inline constexpr uint32_t kMaxCodeBodies = 256;  // native bodies of one method that are looked at
inline constexpr uint32_t kMaxCodeRegions = 16;  // of one body
inline constexpr uint32_t kMaxIlMapEntries = 64u << 10;

// What became of a question about an address.
enum class CodeFound : uint8_t {
  kNone,     // there is no managed code there
  kFound,    // with empty regions: the method is known and its body is not
  kUnknown,  // a dynamic method's, and one has been unloaded since: it may be another one
};

// The method whose code holds what `ip` stands for; 0: there is no managed code there (any more).
clr::FunctionID FunctionAt(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                           AddressKind kind, clr::ReJITID& rejit);
// DynamicMethod or IL stub. An id of one that was unloaded may be asked: its memory is kept for the
// next one, as long as its module is there.
bool IsDynamic(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, clr::FunctionID function);

// As LookUpCode, without the IL map.
CodeFound FindCode(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                   AddressKind kind, CodeDescription& out);

// Replaces `out` by the native body that holds what `ip` stands for. Dynamic methods have no IL
// map. Allocates; a recorder thread.
CodeFound LookUpCode(const CodeGate::Hold& hold, clr::ICorProfilerInfo10* info, uintptr_t ip,
                     AddressKind kind, CodeDescription& out);

// The native code of a dynamic method, asked in the callback that announces its unload: it needs no
// Hold. Returns how many of `regions` were filled; async-signal-unsafe, allocates nothing.
uint32_t CodeOfUnloading(clr::ICorProfilerInfo10* info, clr::FunctionID method,
                         std::span<CodeRegion> regions);

}  // namespace hindsight::recorder
