#include "recorder/stack/signal_walker.h"

#include <algorithm>

#include "recorder/names/call_instruction.h"
#include "recorder/stack/prolog.h"
#include "recorder/stack/sampled_place.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kPage = 4096;

}  // namespace

bool SignalWalker::Open(MemoryBudget& budget) {
  const bool native = native_.Open(budget);
  cache_.Open(budget);
  return managed_.Open(budget) && native;
}

void SignalWalker::Close(MemoryBudget& budget) {
  native_.Close(budget);
  managed_.Close(budget);
  cache_.Close(budget);
}

bool SignalWalker::IsNative(uintptr_t ip) const {
  const Walks::InFlight in_flight(walks_);
  return native_.Contains(ip);
}

std::optional<UnwindStep> SignalWalker::StepInManaged(uintptr_t ip) const {
  const ManagedCode::Found found = managed_.Find(ip);
  if (!found.known) return std::nullopt;
  // Running code is mapped, at least its page.
  const uintptr_t page_end = (ip | (kPage - 1)) + 1;
  const std::span<const uint8_t> code(reinterpret_cast<const uint8_t*>(ip),
                                      std::min(found.end, page_end) - ip);
  return ReadEpilog(code, ip, found.start, found.end).value_or(found.step);
}

bool SignalWalker::IsReturn(uintptr_t ip) {
  if (returns_.Has(ip)) return true;
  if (!FollowsCall(ip).value_or(false)) return false;
  returns_.Add(ip);
  return true;
}

// The runtime must not be asked about addresses in managed code that has not run yet. A walk may
// find one: the entry of a method that is being prepared, for example. In a precompiled image, the
// runtime would search below the first method that has run, and crash (dotnet/runtime,
// src/coreclr/vm/codeman.cpp, ReadyToRunJitManager::JitCodeToMethodInfo; seen on .NET 8 and 9).
std::span<const uintptr_t> SignalWalker::Learn(clr::ICorProfilerInfo10* info, CodeGate& gate,
                                               uint64_t as_of_ns, std::span<uintptr_t> frames) {
  const uint32_t changes = native_changes_.load(std::memory_order_acquire);
  const bool forgot = managed_.StartAnewIfForgotten();
  if (forgot) cache_.Clear();
  if (forgot || changes != seen_native_changes_ || managed_.starts() != seen_starts_) {
    known_.Clear();
    returns_.Clear();
    seen_native_changes_ = changes;
    seen_starts_ = managed_.starts();
  }
  size_t kept = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    const SampledPlace place = SampledPlace::Of(frames[i], i);
    const uintptr_t instruction = InstructionAt(place.ip, place.kind);
    if (!known_.Has(instruction)) {
      const bool is_native = IsNative(instruction);
      if (!is_native && place.kind == AddressKind::kReturn && !IsReturn(place.ip)) continue;
      if (is_native || managed_.Learn(info, gate, as_of_ns, instruction)) known_.Add(instruction);
    }
    frames[kept++] = frames[i];
  }
  managed_.Publish();
  return frames.first(kept);
}

void SignalWalker::RefreshNativeModules() {
  if (!native_.Refresh()) return;
  native_changes_.fetch_add(1, std::memory_order_release);
  cache_.Clear();
}

// Cached steps may be wrong until the drain thread clears them, and so may steps for new code.
void SignalWalker::Forget() { managed_.Forget(); }

}  // namespace hindsight::recorder
