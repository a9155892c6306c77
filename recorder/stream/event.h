// Events as stored in a ring: what a callback leaves for the drain thread.
//
// An event is a header, a fixed part defined by its kind (next to the source that writes it), and
// for some kinds a tail of variable length. All sizes are multiples of 8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::recorder {

enum class EventKind : uint16_t {
  kPadding = 0,  // skip to the start of the ring
  kExceptionThrown,
  kExceptionEnded,
  kExceptionSearched,
  kThreadCreating,
  kThreadCreated,
  kThreadAssigned,
  kThreadNamed,
  kThreadDestroyed,
  kModuleLoaded,
  kModuleUnloaded,
  kCollection,
  kSuspension,
  kLockWaitBegan,
  kLockWaitEnded,
  kLockOwnerSeen,
  kPoolAdjusted,
  kPoolSampled,
  kThreadSnapshot,
  kThreadState,
  kCpuSample,
  kAllocationSampled,
  kCollectionDetail,
  kCollectCalled,
  kJitSampled,
  kMethodInlined,
  kInlineCandidate,
  kRequestsMeasured,
  kRequestDetail,
  kFatalError,
  kExitCalled,  // the last one: kEventKinds
};
inline constexpr size_t kEventKinds = static_cast<size_t>(EventKind::kExitCalled) + 1;

struct EventHeader {
  uint16_t units;  // size / 8, including header and tail
  EventKind kind;
  uint32_t thread;   // kernel id of the thread on which it happened
  uint64_t time_ns;  // CLOCK_MONOTONIC

  size_t size() const { return size_t{units} * 8; }
};
static_assert(sizeof(EventHeader) == 16);
inline constexpr size_t kMaxEventBytes = 65535 * 8;

constexpr size_t AlignEvent(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

// The first `count` values of an event's tail, or as many as it has.
template <typename Value, typename Event>
std::span<const Value> TailOf(const Event& event, size_t count) {
  const size_t bytes = event.header.size();
  const size_t room = bytes > sizeof(event) ? bytes - sizeof(event) : 0;
  return {reinterpret_cast<const Value*>(&event + 1), std::min(count, room / sizeof(Value))};
}

}  // namespace hindsight::recorder
