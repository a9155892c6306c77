// Source `exceptions` on .NET 9 and later: throws and handlers from an event session of our own,
// in place of the profiler's notifications.
//
// The notifications of the second pass, and those of an exception that nobody handles, let
// collections happen where the dispatch of these versions counts on none (dotnet/runtime, pull
// request 119863): references on the stack are then not updated, and the process crashes. That is
// so with any profiler that sets COR_PRF_MONITOR_EXCEPTIONS, even if its callbacks do nothing. With
// a small first generation (DOTNET_GCgen0size=0x40000), which collects all the time, such a
// profiler of 30 lines ended 25 of 28 runs of 24 threads that throw on 10.0.12; with a session of
// these events instead, 0 of 28.
//
// A session costs a starting process too much to begin at once (sources/events/event_session.h).
// Until then the notifications have to do. The first exceptions begin the session, which takes some
// 20 ms; a process that throws thousands until then is notified no more, and the recording says so.
//
// The events come on the thread that throws, at the same moments as the notifications of the same
// kind. What they do not tell is read from the runtime's own records (exception_dispatches.h): the
// object, and which exceptions are still in flight. Two things are not told at all: that a handler
// throws its exception on (`throw;`), which shows at the next filter, finally block or handler; and
// that nobody handles an exception, which shows by nothing else happening. Both at once, a handler
// that throws on what nobody handles, the drain thread finds in the runtime's records.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/sources/cpu/cpu_faults.h"
#include "recorder/sources/exceptions/exception_dispatches.h"
#include "recorder/sources/exceptions/exceptions.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class ExceptionEvents {
 public:
  // Of Microsoft-Windows-DotNETRuntime. At kThrowsLevel come throws only, at kAllLevel also
  // filters, finally blocks and handlers.
  static constexpr uint64_t kKeyword = 0x8000;
  static constexpr uint32_t kThrowsLevel = 2, kAllLevel = 4;

  ExceptionEvents(clr::ICorProfilerInfo10* info, Emitter& emitter, Exceptions& exceptions,
                  CpuFaults& faults)
      : info_(info), emitter_(emitter), exceptions_(exceptions), faults_(faults) {}

  // Whether this runtime needs them and describes itself well enough. Before any other call.
  bool Open();

  const ExceptionDispatches& dispatches() const { return dispatches_; }

  static bool Wants(uint32_t event) {
    return event == kThrown || (event >= kCatchStart && event <= kThrownStop);
  }
  // On the thread that throws. `frame_address` is that of the callback's own frame.
  void Delivered(uint32_t event, std::span<const uint8_t> payload, uintptr_t frame_address);

 private:
  // dotnet/runtime, src/coreclr/vm/ClrEtwAll.man.
  static constexpr uint32_t kThrown = 80, kCatchStart = 250, kCatchStop = 251, kFinallyStart = 252,
                            kFinallyStop = 253, kFilterStart = 254, kFilterStop = 255,
                            kThrownStop = 256;

  bool ReadDispatches(Dispatches& out);
  // Of a filter, finally block or handler that begins. Before that, the rethrow is told that has
  // led there.
  bool ReadOnWay(uintptr_t frame_address, Dispatches& out);

  clr::ICorProfilerInfo10* const info_;
  Emitter& emitter_;
  Exceptions& exceptions_;
  CpuFaults& faults_;
  ExceptionDispatches dispatches_;
};

}  // namespace hindsight::recorder
