// Call stacks of the calling thread, from inside a callback: exact, and fast once the code is
// known.
//
// A walk uses the learned rules of unwind_rules.h. If one is missing, and for one walk in
// kVerifyEvery, the runtime's DoStackSnapshot walks the same stack; its result is used, and the
// rules are learned from or checked against it. When code is new, the outer frames are mostly known
// nevertheless: so the runtime's walk ends at the first frame from which the rules lead to the
// root.
#pragma once

#include <atomic>
#include <cstddef>
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
  struct RuleWalk {
    size_t count = 0;          // of managed frames in the track's scratch
    uintptr_t first_sp = 0;    // of the first one that was added
    uintptr_t stopped_sp = 0;  // of the last frame, which may be native
  };
  // Adds the frames from `at` to the thread's root. False: there is no rule for the last frame.
  bool WalkByRules(ThreadTrack& track, FrameRegisters at, RuleWalk& walk) const;
  // Writes to `out` only if there are frames. `failed`: how far the rules led; null: the whole
  // stack is to be walked by the runtime.
  RuntimeWalk WalkByRuntime(ThreadTrack& track, FrameRegisters at, const RuleWalk* failed,
                            WalkedStack& out);
  void Learn(const ThreadTrack& track, FrameRegisters at, const Snapshot& snapshot);
  bool LearnStep(const ThreadTrack& track, FrameRegisters& at, const Snapshot& snapshot,
                 size_t index, bool managed);
  bool IsPassed(uintptr_t ip, bool is_next, const Snapshot& snapshot);
  void ShowHandler(const ThreadTrack& track, uintptr_t ip, const Snapshot& snapshot);

  clr::ICorProfilerInfo10* info_;
  UnwindRules rules_;
  std::atomic<bool> whole_wanted_{false};  // the next walk by the runtime; see IsPassed
};

}  // namespace hindsight::recorder
