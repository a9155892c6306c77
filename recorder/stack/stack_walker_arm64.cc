// Frames on arm64: every method that calls another one has a frame record, x29 and the return
// address, to which x29 points while it runs; so has nearly all native code. So the chain of
// records has every caller, but does not show where their frames begin: a record may be anywhere in
// its frame. A rule therefore stores the distance from the record to the caller's stack pointer,
// which is the same whenever that address is returned to. It is learned where the caller is
// managed; native frames only need a lower limit, the end of the record.
#include "recorder/stack/return_address_arm64.h"
#include "recorder/stack/stack_walker_snapshot.h"

namespace hindsight::recorder {
namespace {

constexpr uintptr_t kRecordBytes = 2 * sizeof(uintptr_t);
// The largest distance that a rule can store.
constexpr uintptr_t kMaxFrameBytes = 0xfff8;

// From the record at `fp`, whose frame ends `frame_bytes` above it.
FrameRegisters Follow(uintptr_t fp, uintptr_t frame_bytes) {
  return {WithoutSignature(LoadWord(fp + sizeof(uintptr_t))), fp + frame_bytes, LoadWord(fp)};
}

}  // namespace

FrameRegisters StackWalker::CallerOf(uintptr_t frame_address) {
  return Follow(frame_address, kRecordBytes);
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
    if (rule.kind != UnwindRule::Kind::kFramed || !OnStack(track, at.bp, at.sp)) return false;
    at = Follow(at.bp, rule.frame_bytes);
  }
}

// Steps from `at` to managed frame `index`, through native frames if there are any, and learns the
// rule of every step. `managed` says what `at` is. False: no rule leads there, and an address on
// the way is opaque.
bool StackWalker::LearnStep(const ThreadTrack& track, FrameRegisters& at, const Snapshot& snapshot,
                            size_t index, bool managed) {
  const FrameRegisters& target = snapshot.registers[index];
  const uintptr_t start_ip = at.ip;
  for (uint32_t step = 0; step < kMaxNativeRun; ++step) {
    if (at.ip == target.ip && at.bp == target.bp) {
      at = target;
      return true;
    }
    const bool chained = OnStack(track, at.bp, at.sp);
    FrameRegisters caller{};
    if (chained) caller = Follow(at.bp, kRecordBytes);
    const bool is_next = chained && caller.ip == target.ip && caller.bp == target.bp;
    if (!managed && !IsPassed(at.ip, is_next && index > 0, snapshot)) {
      if (index == 0) ShowHandler(track, at.ip, snapshot);
      return false;
    }
    if (!chained || caller.sp > target.sp) break;
    uintptr_t frame_bytes = kRecordBytes;
    if (is_next) {
      frame_bytes = target.sp - at.bp;
      if (frame_bytes > kMaxFrameBytes) break;
    } else if (const UnwindRule known = rules_.Find(at.ip);
               known.kind == UnwindRule::Kind::kFramed && known.managed == managed) {
      frame_bytes = known.frame_bytes;  // learned from a managed caller
    }
    rules_.Learn(at.ip, {UnwindRule::Kind::kFramed, managed, static_cast<uint32_t>(frame_bytes)});
    at = caller;
    managed = false;
  }
  rules_.Learn(start_ip, {UnwindRule::Kind::kOpaque, managed, 0});
  return false;
}

}  // namespace hindsight::recorder
