// Call stacks of the calling thread, from inside a callback: exact, and fast once the code is
// known.
//
// A walk uses the learned rules of unwind_rules.h. If one is missing, and for one walk in
// kVerifyEvery, the runtime's DoStackSnapshot walks the same stack; its result is used, and the
// rules are learned from or checked against it.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/clr/info.h"
#include "recorder/stack/context.h"
#include "recorder/stack/unwind_rules.h"
#include "recorder/stream/thread_track.h"

namespace hindsight::recorder {

struct WalkedStack {
  std::span<const uintptr_t>
      frames;              // addresses in managed code, innermost first; in the track's scratch
  uintptr_t first_sp = 0;  // stack pointer of the innermost managed frame
  bool truncated = false;  // deeper than the scratch space: the outermost frames are missing
};

class StackWalker {
 public:
  explicit StackWalker(clr::ICorProfilerInfo10* info) : info_(info) {}

  // Own thread only, in a callback that permits DoStackSnapshot. `frame_address` is that of one of
  // our functions on this stack (__builtin_frame_address(0)).
  WalkedStack Walk(ThreadTrack& track, uintptr_t frame_address);

  // Some code was unloaded, and it is unknown which; or only these bytes.
  void Forget() { rules_.Forget(); }
  void Forget(uintptr_t start, uint32_t size) { rules_.Forget(start, size); }

 private:
  struct Snapshot;
  enum class RuntimeWalk : uint8_t {
    kFrames,
    kNoFrames,  // empty: the thread runs no managed code yet
    kFailed,
  };

  static constexpr uint32_t kVerifyEvery = 1024;
  static constexpr uint32_t kMaxNativeRun = 256;  // native frames between two managed ones
  // Deeper stacks are walked by the runtime every time: learning rules from them would take a large
  // buffer of registers on the application's stack.
  static constexpr uint32_t kMaxLearnDepth = 256;

  // In stack_walker_<processor>.cc: where the function with this frame returns to, and steps.
  static FrameRegisters CallerOf(uintptr_t frame_address);
  bool WalkByRules(ThreadTrack& track, FrameRegisters at, WalkedStack& out) const;
  // Writes to `out` only if there are frames.
  RuntimeWalk WalkByRuntime(ThreadTrack& track, FrameRegisters at, WalkedStack& out);
  void Learn(const ThreadTrack& track, FrameRegisters at, const Snapshot& snapshot);
  bool LearnStep(const ThreadTrack& track, FrameRegisters& at, const Snapshot& snapshot,
                 size_t index, bool managed);
  bool IsPassed(uintptr_t ip, bool is_next, const Snapshot& snapshot);
  void ShowHandler(const ThreadTrack& track, uintptr_t ip, const Snapshot& snapshot);

  clr::ICorProfilerInfo10* info_;
  UnwindRules rules_;
};

}  // namespace hindsight::recorder
