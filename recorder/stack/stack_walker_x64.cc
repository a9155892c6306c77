// Frames on x64: most methods have a frame pointer, small ones do not. The return address is right
// below the caller's frame, so the chain of frame pointers also yields stack pointers.
#include "recorder/stack/stack_walker_snapshot.h"

namespace hindsight::recorder {
namespace {

// The largest distance that a rule can store.
constexpr uintptr_t kMaxFrameBytes = 0xfff8;
// A frame that was replaced while it ran is closer to its caller than this. A handler is further
// from the frame to which it belongs: the dispatch of its exception is in between, with a CONTEXT
// of 1232 bytes.
constexpr uintptr_t kMaxReplacedFrameBytes = 1024;

}  // namespace

FrameRegisters StackWalker::CallerOf(uintptr_t frame_address) {
  return {LoadWord(frame_address + sizeof(uintptr_t)), frame_address + 2 * sizeof(uintptr_t),
          LoadWord(frame_address)};
}

bool StackWalker::WalkByRules(ThreadTrack& track, FrameRegisters at, RuleWalk& walk) const {
  while (true) {
    walk.stopped_sp = at.sp;
    const UnwindRule rule = rules_.Find(at.ip);
    if (rule.kind == UnwindRule::Kind::kUnknown) return false;
    if (rule.managed) {
      if (walk.count == track.frame_capacity && !track.GrowFrames()) return false;
      if (walk.count == 0) walk.first_sp = at.sp;
      track.frames[walk.count++] = at.ip;
      if (at.sp == track.root_sp) return true;  // the outermost managed frame of this thread
    }
    if (rule.kind == UnwindRule::Kind::kOpaque) return false;
    const uintptr_t low = at.sp;
    if (rule.kind == UnwindRule::Kind::kFramed) {
      if (!OnStack(track, at.bp, low)) return false;
      at = {LoadWord(at.bp + sizeof(uintptr_t)), at.bp + 2 * sizeof(uintptr_t), LoadWord(at.bp)};
    } else {
      const uintptr_t slot = at.sp + rule.frame_bytes;
      if (!OnStack(track, slot, low)) return false;
      at = {LoadWord(slot), slot + sizeof(uintptr_t), at.bp};
    }
  }
}

// Steps from `at` to managed frame `index`, through native frames if there are any, and learns the
// rule of every step. `managed` says what `at` is. False: no rule leads there, and an address on
// the way is opaque.
bool StackWalker::LearnStep(const ThreadTrack& track, FrameRegisters& at, const Snapshot& snapshot,
                            size_t index, bool managed) {
  const FrameRegisters& target = snapshot.registers[index];
  const uintptr_t slot = target.sp - sizeof(uintptr_t);  // holds the return address into the target
  const UnwindRule opaque = {UnwindRule::Kind::kOpaque, managed, 0};
  const uintptr_t start_ip = at.ip;
  for (uint32_t step = 0; step < kMaxNativeRun; ++step) {
    if (at.ip == target.ip && at.sp == target.sp) {
      at = target;
      return true;
    }
    // Along the chain, or through code that has no frame of its own.
    const bool chained = OnStack(track, at.bp, at.sp);
    FrameRegisters caller{};
    if (chained) {
      caller = {LoadWord(at.bp + sizeof(uintptr_t)), at.bp + 2 * sizeof(uintptr_t),
                LoadWord(at.bp)};
    }
    const uintptr_t frame_bytes = slot - at.sp;
    const bool frameless = slot >= at.sp && frame_bytes <= kMaxFrameBytes &&
                           LoadWord(slot) == target.ip && at.bp == target.bp;
    const bool is_next = (caller.ip == target.ip && caller.sp == target.sp) ||
                         (frameless && frame_bytes <= kMaxReplacedFrameBytes);
    // A replaced frame is under a frame that is shown: there is none before the innermost.
    if (!managed && !IsPassed(at.ip, is_next && index > 0, snapshot)) {
      if (index == 0) ShowHandler(track, at.ip, snapshot);
      return false;
    }
    if (chained && caller.sp <= target.sp) {
      rules_.Learn(at.ip, {UnwindRule::Kind::kFramed, managed, 0});
      at = caller;
      managed = false;
    } else if (frameless) {
      const auto bytes = static_cast<uint32_t>(frame_bytes);
      rules_.Learn(at.ip, {UnwindRule::Kind::kFrameless, managed, bytes});
      at = target;
      return true;
    } else {
      break;
    }
  }
  rules_.Learn(start_ip, opaque);
  return false;
}

}  // namespace hindsight::recorder
