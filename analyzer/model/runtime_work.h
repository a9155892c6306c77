// What the runtime's own native code did: one frame of that name instead of many that are called
// like its library. `runtime: JIT`, `runtime: GC`.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/model/model.h"

namespace hindsight::analyzer {

inline constexpr std::string_view kRuntimeMark = "runtime: ";
inline constexpr std::string_view kCompilingFrame = "runtime: JIT";
inline constexpr std::string_view kCollectingFrame = "runtime: GC";
// Of native frames without a name on the way to managed code.
inline constexpr std::string_view kRuntimeCallFrame = "runtime: calls";

// Whether a frame of that name is the collector's work; its phases are named apart where there are
// symbols: runtime: GC mark.
inline bool IsCollecting(std::string_view frame) { return frame.starts_with(kCollectingFrame); }
// Done for whoever comes first or needs memory next: it comes and goes with the process's life.
inline bool IsForNobody(std::string_view frame) {
  return frame == kCompilingFrame || IsCollecting(frame);
}

// Whose code a native function is.
enum class NativeOwner : uint8_t {
  kOther,
  kStub,  // in no library: made by the runtime, to call, to allocate or to write references
  kRuntime,
  kJit,
  kCollector,
};
NativeOwner OwnerOfNative(const Dictionaries& dictionaries, const Method& method);

// A method that this file has made up: work of the runtime.
inline bool IsRuntimeWork(const Dictionaries& dictionaries, const Method& method) {
  return method.is_native && method.module == 0 &&
         dictionaries.String(method.name).starts_with(kRuntimeMark);
}

// Gives CPU samples that ended in the runtime, or have it on their way, another path: the runtime's
// functions without a name go, and below what called them stands the work that they did. What that
// was follows, in this order, from
//  - the JIT's library or the collector's symbols among the frames;
//  - the time: all managed threads were stopped for a collection;
//  - the innermost symbol of the runtime that is known;
//  - the thread, if it is one of the runtime's own;
//  - the managed caller, if all that it does in the runtime is one thing;
//  - what else was seen: functions through which managed code gets to the JIT prepare methods.
// Functions with a name stay, below the work. Paths of other events do not change, and neither do
// those of samples for which this has been done before.
void NameRuntimeWork(Model& model);

}  // namespace hindsight::analyzer
