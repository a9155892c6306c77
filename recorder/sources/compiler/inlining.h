// Source `cpu`, as context: which methods the JIT has put into which native code.
//
// The JIT tells it only if it is asked before it starts: DOTNET_RichDebugInfo=1 in the environment
// of the process. The recorder cannot set that by itself: the runtime notes which variables there
// are before it loads a profiler, and ICorProfilerInfo11::SetEnvironmentVariable comes too late
// (src/coreclr/utilcode/clrconfig.cpp, EnvCacheValueNameSeenPerhaps; tried on 8, 9 and 10).
//
// The event belongs to the private provider and is written with each compilation, but only while
// the runtime's provider has the keyword JIT at level verbose (MethodDesc::
// JitCompileCodeLockedEventWrapper; read in 10, tried on 8, 9 and 10). Just before it, on the same
// thread, comes MethodLoadVerbose, which has the address of the code. Sessions of a profiler get no
// rundown (tried on 8, 9 and 10): nothing tells of code that was compiled before them. Code that
// was compiled ahead of time has no such information at all.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/contract/options.h"
#include "recorder/stream/emitter.h"
#include "recorder/stream/event.h"

namespace hindsight::recorder {

// Tail: `bytes` of the payload; none if nothing was inlined.
struct MethodInlinedEvent {
  EventHeader header;
  uint64_t start;  // of the native code
  uint32_t chunk;
  uint32_t bytes;
  bool last;
};

class Inlining {
 public:
  static constexpr char16_t kProvider[] = u"Microsoft-Windows-DotNETRuntimePrivate";
  static constexpr uint64_t kKeywords = 0x40000;     // of the provider above, informational
  static constexpr uint64_t kRuntimeKeyword = 0x10;  // of the runtime's, verbose

  explicit Inlining(Emitter& emitter) : emitter_(emitter) {}

  // Whether the JIT was asked to tell. Reads the environment.
  static bool IsTold();
  static bool Wanted(const contract::Options& options) {
    return options.Has(contract::Source::kCpu) && IsTold();
  }

  // On the compiling thread: MethodLoadVerbose of the runtime's provider, and the private one's
  // event.
  void Loaded(std::span<const uint8_t> payload);
  void Delivered(uint32_t event, std::span<const uint8_t> payload);

 private:
  static constexpr uint32_t kRichDebugInfo = 189;

  Emitter& emitter_;
};

}  // namespace hindsight::recorder
