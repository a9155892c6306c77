// Source `gc`, as context: the just-in-time compiler's activity. Events count methods by tier, on
// the compiling threads; everything else is read from System.Runtime.JitInfo once a second.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "recorder/sources/events/event_sink.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

inline constexpr size_t kCompilerTiers =
    1 + static_cast<size_t>(wire::JitSample::Tier::kTier1Instrumented);

struct JitSampledEvent {
  EventHeader header;
  // Since the process started; 0: the runtime did not answer.
  uint64_t methods, il_bytes, time_ns;
  // Since the session of runtime events began.
  uint64_t background_ns, r2r_rejected;
  uint64_t tiers[kCompilerTiers];
};

class Compiler final : public EventSink {
 public:
  // Keywords of the runtime's provider, level informational: JIT, and tiered compilation.
  static constexpr uint64_t kKeywords = 0x10 | 0x1000000000;

  // dotnet/runtime, src/coreclr/vm/ClrEtwAll.man. If any session is verbose, the verbose event
  // comes instead of the other one.
  enum : uint32_t {
    kMethodLoad = 141,
    kMethodLoadVerbose = 143,
    kBackgroundStart = 283,
    kBackgroundStop = 284,
  };

  explicit Compiler(Emitter& emitter) : emitter_(emitter) {}

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

  // The event sessions' thread, every second: writes an event if something has changed.
  void Sample();

 private:
  struct CompilerSums {
    uint64_t methods = 0, background_ns = 0;
    bool operator==(const CompilerSums&) const = default;
  };

  void MethodLoaded(uint32_t flags);

  Emitter& emitter_;
  std::array<std::atomic<uint64_t>, kCompilerTiers> tiers_ = {};
  std::atomic<uint64_t> r2r_rejected_{0}, background_ns_{0};
  std::atomic<uint64_t> background_since_ns_{0};  // 0: not active
  CompilerSums reported_;
  bool has_reported_ = false;
};

}  // namespace hindsight::recorder
