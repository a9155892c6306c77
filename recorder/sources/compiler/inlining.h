// Source `cpu`, as context: which methods the JIT has inlined into which native code.
//
// The JIT reports this only if it is asked to before it starts: DOTNET_RichDebugInfo=1 in the
// environment of the process. The recorder cannot set that by itself: the runtime records which
// variables exist before it loads a profiler, and ICorProfilerInfo11::SetEnvironmentVariable comes
// too late (src/coreclr/utilcode/clrconfig.cpp, EnvCacheValueNameSeenPerhaps; tried on 8, 9 and
// 10).
//
// The event belongs to the private provider and is written with each compilation, but only while
// the runtime's provider has the keyword JIT at level verbose (MethodDesc::
// JitCompileCodeLockedEventWrapper; read in 10, tried on 8, 9 and 10). Just before it, on the same
// thread, comes MethodLoadVerbose, which has the address of the code. Sessions of a profiler get no
// rundown (tried on 8, 9 and 10): nothing reports code that was compiled before them. Code that
// was compiled ahead of time has no such information at all.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/contract/options.h"
#include "recorder/sources/events/event_sink.h"
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

class Inlining final : public EventSink {
 public:
  static constexpr uint64_t kPrivateKeyword = 0x40000;  // of the private provider, informational
  static constexpr uint64_t kRuntimeKeyword = 0x10;     // of the runtime's, verbose

  explicit Inlining(Emitter& emitter) : emitter_(emitter) {}

  // Whether the JIT was asked to report inlining. Reads the environment.
  static bool IsAvailable();
  static bool Wanted(const contract::Options& options) {
    return options.Has(contract::Source::kCpu) && IsAvailable();
  }

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  // On the compiling thread.
  void Delivered(const RuntimeEvent& event) override;

 private:
  static constexpr uint32_t kRichDebugInfo = 189;

  void Loaded(std::span<const uint8_t> payload);
  void Compiled(std::span<const uint8_t> payload);

  Emitter& emitter_;
};

}  // namespace hindsight::recorder
