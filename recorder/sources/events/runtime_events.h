// Dispatches the runtime's events, on the threads that cause them, to the sources.
//
// Sessions of our own (event_session.h) deliver them. Events that no source needs come as well,
// because a keyword covers many events; they are ignored here, by id.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/sources/allocations/allocations.h"
#include "recorder/sources/compiler/compiler.h"
#include "recorder/sources/compiler/inlining.h"
#include "recorder/sources/exceptions/exception_events.h"
#include "recorder/sources/gc/collection_details.h"
#include "recorder/sources/locks/locks.h"
#include "recorder/sources/requests/request_durations.h"
#include "recorder/sources/requests/requests.h"

namespace hindsight::recorder {

class RuntimeEvents {
 public:
  RuntimeEvents(clr::ICorProfilerInfo10* info, const contract::Options& options, Locks& locks,
                Allocations& allocations, CollectionDetails& collections, Compiler& compiler,
                Inlining& inlining, Requests& requests, RequestDurations& durations,
                ExceptionEvents& exceptions)
      : info_(info),
        options_(options),
        locks_(locks),
        allocations_(allocations),
        collections_(collections),
        compiler_(compiler),
        inlining_(inlining),
        requests_(requests),
        durations_(durations),
        exceptions_(exceptions),
        tells_inlining_(Inlining::Wanted(options)) {}

  // EventPipeEventDelivered. `frame_address` is that of the callback's own frame.
  void Delivered(clr::EVENTPIPE_PROVIDER provider, uint32_t event, std::span<const uint8_t> payload,
                 uintptr_t frame_address);

 private:
  enum class Provider : uint8_t { kRuntime, kPrivate, kTasks, kHosting, kMetrics, kOther };

  Provider Identify(clr::EVENTPIPE_PROVIDER provider);
  void OfRuntime(uint32_t event, std::span<const uint8_t> payload, uintptr_t frame_address);

  clr::ICorProfilerInfo10* const info_;
  const contract::Options& options_;
  Locks& locks_;
  Allocations& allocations_;
  CollectionDetails& collections_;
  Compiler& compiler_;
  Inlining& inlining_;
  Requests& requests_;
  RequestDurations& durations_;
  ExceptionEvents& exceptions_;
  const bool tells_inlining_;
  // Learned from the first event of each; addresses of the runtime, valid as long as it is.
  std::atomic<clr::EVENTPIPE_PROVIDER> runtime_provider_{0}, task_provider_{0},
      hosting_provider_{0}, private_provider_{0}, metrics_provider_{0};
};

}  // namespace hindsight::recorder
