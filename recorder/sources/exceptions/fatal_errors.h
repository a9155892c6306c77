// Source `exceptions`, on the application's threads: errors for which the runtime ends the process:
// Environment.FailFast, a stack overflow, a failure of its own.
//
// No exception reports them, and no callback follows. The runtime's private provider has an event
// (FailFast; src/coreclr/vm/eepolicy.cpp, and measured on .NET 8, 9 and 10), which comes on the
// thread that fails, after the runtime has written its message and before the process aborts. So
// that thread, which has nothing else left to do, waits here until the event is on disk, for
// kWaitNs at most. No heap snapshot can be taken in the meantime: the thread is in cooperative
// mode, and a collection would wait for it.
#pragma once

#include <atomic>
#include <cstdint>

#include "recorder/sources/events/event_sink.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// Tail: the message, `message_units` UTF-16 units, without a final NUL.
struct FatalErrorEvent {
  EventHeader header;
  uintptr_t location;      // the instruction that failed, or where FailFast was called; 0: unknown
  uint32_t code;           // HRESULT: kFailFast, kStackOverflow...
  uint32_t stack;          // handle of the stack; 0: there is none
  uint32_t message_units;  // kept
  uint32_t message_cut;    // cut off
};

class FatalErrors final : public EventSink {
 public:
  // The provider's event has no keyword, so any will do; the level lets nothing else through.
  static constexpr uint64_t kKeyword = uint64_t{1} << 45;
  static constexpr uint32_t kFailFastEvent = 191;
  static constexpr uint32_t kStackOverflow = 0x800703E9;  // COR_E_STACKOVERFLOW
  static constexpr size_t kMaxMessageUnits = 1000;

  FatalErrors(const contract::Options& options, Emitter& emitter, StackTable& stacks,
              StackWalker& walker)
      : options_(options), emitter_(emitter), stacks_(stacks), walker_(walker) {}

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  static constexpr uint64_t kWaitNs = 500'000'000;

  const contract::Options& options_;
  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
  std::atomic<bool> reported_{false};  // the first one is what ends the process
};

}  // namespace hindsight::recorder
