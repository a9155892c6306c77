#include "recorder/sources/exceptions/fatal_errors.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "recorder/sources/events/payload.h"

namespace hindsight::recorder {

void FatalErrors::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kExceptions)) return;
  plan.Add(EventProvider::kRuntimePrivate, EventLevel::kCritical, kKeyword);
}

// After a stack overflow this runs on a few pages that the runtime has set aside: no walk, and
// nothing large on the stack.
void FatalErrors::Delivered(const RuntimeEvent& delivered) {
  if (delivered.id != kFailFastEvent || reported_.exchange(true)) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  // The message; then the location, the code of the operating system, and that of the runtime.
  const std::span<const uint8_t> payload = delivered.payload;
  const size_t after = AfterText(payload, 0);
  const uint32_t code = ReadPayload<uint32_t>(payload, after + sizeof(uint64_t) + sizeof(uint32_t));
  const size_t units = after >= sizeof(char16_t) ? after / sizeof(char16_t) - 1 : 0;
  const size_t kept = options_.exception_messages ? std::min(units, kMaxMessageUnits) : 0;
  uint32_t stack = 0;
  if (code != kStackOverflow) {
    stack = stacks_.Intern(walker_.Walk(*track, delivered.frame_address).frames);
  }
  void* memory = emitter_.Reserve(*track, EventKind::kFatalError, now,
                                  sizeof(FatalErrorEvent) + kept * sizeof(char16_t));
  if (memory == nullptr) return;
  auto& event = *static_cast<FatalErrorEvent*>(memory);
  event.location = ReadPayload<uint64_t>(payload, after);
  event.code = code;
  event.stack = stack;
  event.message_units = static_cast<uint32_t>(kept);
  event.message_cut = static_cast<uint32_t>(units - kept);
  if (kept != 0) std::memcpy(&event + 1, payload.data(), kept * sizeof(char16_t));
  track->last_event_is_written.store(false, std::memory_order_relaxed);
  emitter_.Commit(*track);
  emitter_.Hurry();
  const timespec pause{0, 1'000'000};
  while (!track->last_event_is_written.load(std::memory_order_acquire) &&
         MonotonicNs() - now < kWaitNs) {
    nanosleep(&pause, nullptr);
  }
}

}  // namespace hindsight::recorder
