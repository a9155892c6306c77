#include "recorder/sources/compiler/dynamic_inlining.h"

#include <algorithm>

namespace hindsight::recorder {

void DynamicInlining::CompilationStarted(clr::FunctionID dynamic_method) {
  if (Replace(0, dynamic_method)) {
    compiling_.fetch_add(1, std::memory_order_relaxed);
  } else {
    slots_[next_.fetch_add(1, std::memory_order_relaxed) % kSlots].store(dynamic_method,
                                                                         std::memory_order_relaxed);
  }
}

void DynamicInlining::CompilationFinished(clr::FunctionID dynamic_method) {
  if (Replace(dynamic_method, 0)) compiling_.fetch_sub(1, std::memory_order_relaxed);
}

bool DynamicInlining::IsCompiling(clr::FunctionID method) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const auto& slot) {
    return slot.load(std::memory_order_relaxed) == method;
  });
}

void DynamicInlining::Report(clr::FunctionID caller, clr::FunctionID callee) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* const track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  // Without room it is only a name that is missing: not a loss that counts.
  void* const memory = emitter_.TryReserve(*track, EventKind::kInlineCandidate, now,
                                           sizeof(InlineCandidateEvent), Claim::kDetail);
  if (memory == nullptr) return;
  auto& event = *static_cast<InlineCandidateEvent*>(memory);
  event.caller = caller;
  event.callee = callee;
  emitter_.Commit(*track);
}

bool DynamicInlining::Replace(clr::FunctionID from, clr::FunctionID to) {
  for (std::atomic<clr::FunctionID>& slot : slots_) {
    clr::FunctionID expected = from;
    if (slot.compare_exchange_strong(expected, to, std::memory_order_relaxed)) return true;
  }
  return false;
}

}  // namespace hindsight::recorder
