#include "recorder/sources/events/runtime_events.h"

#include "recorder/base/thread.h"
#include "recorder/sources/events/event_session.h"
#include "recorder/sources/events/provider_name.h"

namespace hindsight::recorder {

RuntimeEvents::Provider RuntimeEvents::Identify(clr::EVENTPIPE_PROVIDER provider) {
  if (provider == runtime_provider_.load(std::memory_order_relaxed)) return Provider::kRuntime;
  if (provider == task_provider_.load(std::memory_order_relaxed)) return Provider::kTasks;
  if (provider == hosting_provider_.load(std::memory_order_relaxed)) return Provider::kHosting;
  if (provider == private_provider_.load(std::memory_order_relaxed)) return Provider::kPrivate;
  if (provider == metrics_provider_.load(std::memory_order_relaxed)) return Provider::kMetrics;
  const ProviderName name(info_, provider);
  if (name.view() == EventSession::kRuntimeProvider) {
    runtime_provider_.store(provider, std::memory_order_relaxed);
    return Provider::kRuntime;
  }
  if (name.view() == Locks::kTaskProvider) {
    task_provider_.store(provider, std::memory_order_relaxed);
    return Provider::kTasks;
  }
  if (name.view() == Requests::kProvider) {
    hosting_provider_.store(provider, std::memory_order_relaxed);
    return Provider::kHosting;
  }
  if (name.view() == Inlining::kProvider) {
    private_provider_.store(provider, std::memory_order_relaxed);
    return Provider::kPrivate;
  }
  if (name.view() == RequestDurations::kProvider) {
    metrics_provider_.store(provider, std::memory_order_relaxed);
    return Provider::kMetrics;
  }
  return Provider::kOther;  // EventPipe's own provider describes the process when a session ends
}

void RuntimeEvents::Delivered(clr::EVENTPIPE_PROVIDER provider, uint32_t event,
                              std::span<const uint8_t> payload, uintptr_t frame_address) {
  switch (Identify(provider)) {
    case Provider::kRuntime:
      OfRuntime(event, payload, frame_address);
      break;
    case Provider::kPrivate:
      inlining_.Delivered(event, payload);
      break;
    case Provider::kTasks:
      if (!OnOwnThread()) locks_.OfTasks(event, payload, frame_address);
      break;
    case Provider::kHosting:
      requests_.Delivered(event);
      break;
    case Provider::kMetrics:
      durations_.Delivered(event, payload);
      break;
    case Provider::kOther:
      break;
  }
}

void RuntimeEvents::OfRuntime(uint32_t event, std::span<const uint8_t> payload,
                              uintptr_t frame_address) {
  // Collections happen on any thread; one requested by the recorder, on the recorder's own.
  if (CollectionDetails::Wants(event)) {
    if (options_.Has(contract::Source::kGc)) collections_.Delivered(event, payload);
  } else if (Compiler::Wants(event)) {
    if (options_.Has(contract::Source::kGc)) compiler_.Delivered(event, payload);
    if (event == Compiler::kMethodLoadVerbose && tells_inlining_) inlining_.Loaded(payload);
  } else if (OnOwnThread()) {
    return;
  } else if (ExceptionEvents::Wants(event)) {
    exceptions_.Delivered(event, payload, frame_address);
  } else if (Allocations::Wants(event)) {
    if (options_.Has(contract::Source::kAllocations)) {
      allocations_.Delivered(event, payload, frame_address);
    }
  } else if (options_.Has(contract::Source::kLocks)) {
    locks_.OfRuntime(event, payload, frame_address);
  }
}

}  // namespace hindsight::recorder
