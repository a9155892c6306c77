#include "recorder/sources/compiler/inlining.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "recorder/sources/compiler/compiler.h"
#include "recorder/sources/events/payload.h"

namespace hindsight::recorder {
namespace {

// The event's layout (src/coreclr/vm/ClrEtwAll.man, JittedMethodRichDebugInfo): after the runtime's
// instance (16 bits) the method, the version of its native code and that of its IL (64 bits each),
// the chunk with a flag for the last one, and the size of what follows (32 bits each).
constexpr size_t kMethodAt = 2, kChunkAt = 26, kSizeAt = 30, kDataAt = 34;
constexpr uint32_t kLastChunk = 0x80000000;

}  // namespace

bool Inlining::IsAvailable() {
  for (const char* name : {"DOTNET_RichDebugInfo", "COMPlus_RichDebugInfo"}) {
    if (const char* value = getenv(name)) return strtoul(value, nullptr, 16) != 0;
  }
  return false;
}

void Inlining::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!Wanted(options)) return;
  plan.Add(EventProvider::kRuntime, EventLevel::kVerbose, kRuntimeKeyword);
  plan.Add(EventProvider::kRuntimePrivate, EventLevel::kInformational, kPrivateKeyword);
}

void Inlining::Delivered(const RuntimeEvent& event) {
  if (event.provider == EventProvider::kRuntime) {
    if (event.id == Compiler::kMethodLoadVerbose) Loaded(event.payload);
  } else if (event.id == kRichDebugInfo) {
    Compiled(event.payload);
  }
}

void Inlining::Loaded(std::span<const uint8_t> payload) {
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  // Method, module, start of the code (64 bits each).
  track->compiled_method = ReadPayload<uint64_t>(payload, 0);
  track->compiled_start = ReadPayload<uint64_t>(payload, 16);
}

void Inlining::Compiled(std::span<const uint8_t> payload) {
  if (payload.size() <= kDataAt) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  if (track->compiled_start == 0 ||
      track->compiled_method != ReadPayload<uint64_t>(payload, kMethodAt)) {
    return;
  }
  const auto chunk = ReadPayload<uint32_t>(payload, kChunkAt);
  const size_t size =
      std::min<size_t>(ReadPayload<uint32_t>(payload, kSizeAt), payload.size() - kDataAt);
  // If nothing was inlined, the tree contains only the method itself.
  const bool plain = chunk == kLastChunk && ReadPayload<uint32_t>(payload, kDataAt) <= 1;
  const size_t bytes = plain ? 0 : size;
  void* memory =
      emitter_.Reserve(*track, EventKind::kMethodInlined, now, sizeof(MethodInlinedEvent) + bytes);
  if (memory == nullptr) return;
  auto& reported = *static_cast<MethodInlinedEvent*>(memory);
  reported.start = track->compiled_start;
  reported.chunk = chunk & ~kLastChunk;
  reported.bytes = static_cast<uint32_t>(bytes);
  reported.last = (chunk & kLastChunk) != 0;
  std::memcpy(&reported + 1, payload.data() + kDataAt, bytes);
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
