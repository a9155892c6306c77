// Source `exceptions` on .NET 9 and later: throws and handlers from an event session of our own,
// in place of the profiler's notifications.
//
// The notifications of the second pass, and those of an unhandled exception, let collections happen
// where exception dispatch in these versions relies on there being none (dotnet/runtime, pull
// request 119863): references on the stack are then not updated, and the process crashes. That is
// so with any profiler that sets COR_PRF_MONITOR_EXCEPTIONS, even if its callbacks do nothing. With
// a small first generation (DOTNET_GCgen0size=0x40000), which collects all the time, such a
// profiler of 30 lines ended 25 of 28 runs of 24 threads that throw on 10.0.12; with a session of
// these events instead, 0 of 28.
//
// A session costs a starting process too much to begin at once (sources/events/event_session.h), so
// at first there are only the notifications. The first exceptions trigger the session, whose start
// takes some 20 ms; if a process throws thousands before that, the notifications are turned off,
// and the recording says so.
//
// The events come on the thread that throws, at the same moments as the notifications of the same
// kind. What they do not show is read from the runtime's own records (exception_dispatches.h): the
// object, and which exceptions are still in flight. Two things are not reported at all: that a
// handler rethrows its exception (`throw;`), which shows at the next filter, finally block or
// handler; and that an exception is unhandled, which only shows because nothing else happens. If
// both come together, a handler that rethrows an exception that is then unhandled, the drain thread
// finds that in the runtime's records.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/sources/cpu/cpu_faults.h"
#include "recorder/sources/events/event_sink.h"
#include "recorder/sources/exceptions/exception_dispatches.h"
#include "recorder/sources/exceptions/exceptions.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class ExceptionEvents final : public EventSink {
 public:
  // A keyword of the runtime's provider. Level `errors` has only throws, `informational` also
  // filters, finally blocks and handlers.
  static constexpr uint64_t kKeyword = 0x8000;

  ExceptionEvents(clr::ICorProfilerInfo10* info, Emitter& emitter, Exceptions& exceptions,
                  CpuFaults& faults)
      : info_(info),
        emitter_(emitter),
        exceptions_(exceptions),
        faults_(faults),
        is_available_(Open()) {}

  // Whether this runtime needs them and describes itself well enough.
  bool is_available() const { return is_available_; }
  const ExceptionDispatches& dispatches() const { return dispatches_; }
  // In the notification of a throw, on its thread: the runtime's record of it. 0: not known.
  uintptr_t RecordOfThrow();

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  // Where events report exceptions, the source `cpu` needs the throws (cpu/cpu_faults.h).
  static void PlanExceptions(const contract::Options& options, EventPlan& plan);
  // On the thread that throws.
  void Delivered(const RuntimeEvent& event) override;

 private:
  // dotnet/runtime, src/coreclr/vm/ClrEtwAll.man.
  static constexpr uint32_t kThrown = 80, kCatchStart = 250, kCatchStop = 251, kFinallyStart = 252,
                            kFinallyStop = 253, kFilterStart = 254, kFilterStop = 255,
                            kThrownStop = 256;

  bool Open();
  bool ReadDispatches(Dispatches& out);
  // For a filter, finally block or handler that begins. First reports the rethrow that has led
  // there, if there was one.
  bool ReadOnWay(uintptr_t frame_address, Dispatches& out);

  clr::ICorProfilerInfo10* const info_;
  Emitter& emitter_;
  Exceptions& exceptions_;
  CpuFaults& faults_;
  ExceptionDispatches dispatches_;
  const bool is_available_;
};

}  // namespace hindsight::recorder
