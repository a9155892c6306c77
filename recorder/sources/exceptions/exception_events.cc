#include "recorder/sources/exceptions/exception_events.h"

#include <cstring>

#include "recorder/base/runtime_contract.h"
#include "recorder/base/thread.h"
#include "recorder/clr/runtime_version.h"

namespace hindsight::recorder {
namespace {

// Where a handler, finally block or filter begins: EntryEIP and MethodID, which is the FunctionID.
struct Entry {
  uint64_t ip = 0;
  uint64_t method = 0;
};

Entry EntryOf(std::span<const uint8_t> payload) {
  Entry entry;
  if (payload.size() >= sizeof(entry)) std::memcpy(&entry, payload.data(), sizeof(entry));
  return entry;
}

}  // namespace

bool ExceptionEvents::Open() {
  constexpr int kNeededSince = 9;
  return clr::MajorVersion(info_) >= kNeededSince && dispatches_.Open(RuntimeContract());
}

bool ExceptionEvents::ReadDispatches(Dispatches& out) {
  ThreadTrack* track = emitter_.Track();
  clr::ThreadID thread = 0;
  if (track == nullptr || clr::Failed(info_->GetCurrentThreadID(&thread)) ||
      !dispatches_.Read(thread, track->os_id.load(std::memory_order_relaxed), out)) {
    return false;
  }
  track->exceptions.thread.store(thread, std::memory_order_relaxed);
  return true;
}

uintptr_t ExceptionEvents::RecordOfThrow() {
  Dispatches dispatches;
  return is_available_ && ReadDispatches(dispatches) ? dispatches.innermost() : 0;
}

bool ExceptionEvents::ReadOnWay(uintptr_t frame_address, Dispatches& out) {
  if (!ReadDispatches(out)) return false;
  if (exceptions_.IsUnreported(out)) exceptions_.Thrown(out.thrown, false, frame_address, out);
  return true;
}

void ExceptionEvents::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (is_available_) PlanExceptions(options, plan);
}

void ExceptionEvents::PlanExceptions(const contract::Options& options, EventPlan& plan) {
  if (options.Has(contract::Source::kExceptions)) {
    plan.Add(EventProvider::kRuntime, EventLevel::kInformational, kKeyword);
  } else if (options.Has(contract::Source::kCpu)) {
    plan.Add(EventProvider::kRuntime, EventLevel::kErrors, kKeyword);
  }
}

void ExceptionEvents::Delivered(const RuntimeEvent& event) {
  // Otherwise the notifications report the same.
  if (!exceptions_.by_events() || OnOwnThread()) return;
  const Entry entry = EntryOf(event.payload);
  const uintptr_t frame_address = event.frame_address;
  Dispatches dispatches;
  switch (event.id) {
    case kThrown: {
      if (!ReadDispatches(dispatches)) return;
      const bool is_fault = faults_.Thrown(dispatches.thrown);
      exceptions_.Thrown(dispatches.thrown, is_fault, frame_address, dispatches);
      break;
    }
    case kFilterStart:
      ReadOnWay(frame_address, dispatches);
      exceptions_.SearchFilterEnter();
      break;
    case kFilterStop:
      exceptions_.SearchFilterLeave();
      break;
    case kFinallyStart:
      ReadOnWay(frame_address, dispatches);
      exceptions_.FinallyEnter(entry.method);
      break;
    case kFinallyStop:
      exceptions_.UnwindFinallyLeave();
      break;
    case kCatchStart:
      if (ReadOnWay(frame_address, dispatches)) {
        exceptions_.CatcherEnter(entry.method, entry.ip, dispatches);
      }
      break;
    case kCatchStop:
      exceptions_.CatcherLeave();
      break;
    default:
      break;
  }
}

}  // namespace hindsight::recorder
