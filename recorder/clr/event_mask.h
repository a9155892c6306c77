// The event mask of the profiling API: which callbacks the runtime makes.
//
// Values from dotnet/runtime, src/coreclr/inc/corprof.idl. Only the flags that Hindsight uses or
// has to refuse are named.
#pragma once

#include <cstdint>

namespace hindsight::clr {

// SetEventMask2 takes two words; a flag's value alone does not show which word it belongs to.
struct EventMask {
  uint32_t low = 0;
  uint32_t high = 0;

  constexpr EventMask operator|(EventMask other) const {
    return {low | other.low, high | other.high};
  }
  constexpr EventMask operator&(EventMask other) const {
    return {low & other.low, high & other.high};
  }
  constexpr EventMask Without(EventMask other) const {
    return {low & ~other.low, high & ~other.high};
  }
  constexpr bool empty() const { return low == 0 && high == 0; }
  constexpr bool operator==(const EventMask&) const = default;
};

inline constexpr EventMask kMonitorModuleLoads{0x00000004, 0};
inline constexpr EventMask kMonitorAssemblyLoads{0x00000008, 0};
inline constexpr EventMask kMonitorAppDomainLoads{0x00000010, 0};  // not used for anything
inline constexpr EventMask kMonitorJitCompilation{0x00000020, 0};
inline constexpr EventMask kMonitorExceptions{0x00000040, 0};
// If left on, every gen0 GC walks the whole heap; only a snapshot sets it, for one GC.
inline constexpr EventMask kMonitorGc{0x00000080, 0};
inline constexpr EventMask kMonitorThreads{0x00000200, 0};
inline constexpr EventMask kMonitorSuspends{0x00010000, 0};
inline constexpr EventMask kEnableStackSnapshot{0x10000000, 0};
inline constexpr EventMask kMonitorDynamicFunctionUnloads{0, 0x00000004};
inline constexpr EventMask kBasicGc{0, 0x00000010};
inline constexpr EventMask kMonitorEventPipe{0, 0x00000080};

// Callbacks about unloaded code and ended threads, and about pauses in which the runtime answers no
// queries: enabled from the first id that a session receives until the last query about one.
inline constexpr EventMask kForQuestions = kMonitorModuleLoads | kMonitorAssemblyLoads |
                                           kMonitorDynamicFunctionUnloads | kMonitorThreads |
                                           kBasicGc | kMonitorSuspends;

// What the runtime accepts after an attach, and what it fixes when the profiler is initialized
// (COR_PRF_ALLOWABLE_AFTER_ATTACH, COR_PRF_MONITOR_IMMUTABLE and their HIGH counterparts). Setting
// a flag outside of the first set after an attach fails with 0x8013136f.
inline constexpr EventMask kAllowedAfterAttach{0x100502fe, 0x000000f6};
inline constexpr EventMask kImmutable{0xeef8cc00, 0x00000008};

}  // namespace hindsight::clr
