#include "recorder/stack/stack_walker.h"

#include <algorithm>

#include "proto/limits.h"
#include "recorder/stack/stack_walker_snapshot.h"

namespace hindsight::recorder {
namespace {

// Room on the thread's stack for the runtime's walk and for learning from it: they take some 25
// KiB, and threads may have stacks of 16 KiB, or have used up nearly all of a large one. If less is
// left, only rules are used.
constexpr size_t kWalkRoom = 48u << 10;

bool HasRoom(const ThreadTrack& track, uintptr_t frame_address) {
  const bool is_on_stack = frame_address >= track.stack_low && frame_address < track.stack_high;
  return !is_on_stack || frame_address - track.stack_low >= kWalkRoom;
}

}  // namespace

clr::HRESULT StackWalker::Snapshot::OnFrame(clr::FunctionID function, uintptr_t ip,
                                            clr::COR_PRF_FRAME_INFO, uint32_t, uint8_t* context,
                                            void* self) {
  auto& snapshot = *static_cast<Snapshot*>(self);
  snapshot.called = true;
  if (function == 0) return clr::S_OK;  // a run of native frames
  if (snapshot.count == snapshot.track->frame_capacity && !snapshot.track->GrowFrames()) {
    snapshot.truncated = true;
    return clr::S_FALSE;
  }
  const FrameRegisters at = context != nullptr ? ReadContext(context) : FrameRegisters{};
  if (snapshot.count == 0) snapshot.first_sp = at.sp;
  snapshot.last_sp = at.sp;
  if (snapshot.count < kMaxLearnDepth && context != nullptr) {
    snapshot.registers[snapshot.count] = at;
    snapshot.functions[snapshot.count] = function;
  }
  const size_t index = snapshot.count++;
  snapshot.track->frames[index] = ip;
  if (snapshot.walker == nullptr || at.sp <= snapshot.no_rule_sp) return clr::S_OK;
  // Each frame is tried once: the next attempt begins above the one where this one ends.
  RuleWalk rest{index};
  const bool is_rest_known = snapshot.walker->WalkByRules(*snapshot.track, at, rest);
  snapshot.track->frames[index] = ip;
  if (is_rest_known) snapshot.whole_count = rest.count;
  snapshot.no_rule_sp = rest.stopped_sp;
  return is_rest_known ? clr::S_FALSE : clr::S_OK;
}

WalkedStack StackWalker::Walk(ThreadTrack& track, uintptr_t frame_address) {
  const FrameRegisters start = CallerOf(frame_address);
  WalkedStack stack;
  const bool has_room = HasRoom(track, frame_address);
  RuleWalk walk;
  if (WalkByRules(track, start, walk)) {
    stack.frames = {track.frames, walk.count};
    stack.first_sp = walk.first_sp;
    track.stacks_fast.Add(1);
    if (track.stacks_fast.Read() % kVerifyEvery != 0 || !has_room) return stack;

    const auto verify = [&]() __attribute__((noinline)) {
      uintptr_t expected[kMaxLearnDepth];
      const size_t depth = std::min<size_t>(stack.frames.size(), kMaxLearnDepth);
      std::copy_n(stack.frames.begin(), depth, expected);
      const size_t full_depth = stack.frames.size();
      if (WalkByRuntime(track, start, nullptr, stack) != RuntimeWalk::kFrames) return;
      track.stacks_verified.Add(1);
      if (stack.frames.size() != full_depth ||
          !std::equal(expected, expected + depth, stack.frames.begin())) {
        track.stacks_mismatched.Add(1);
        rules_.Forget();
      }
    };
    verify();
    return stack;
  }
  switch (has_room ? WalkByRuntime(track, start, &walk, stack) : RuntimeWalk::kFailed) {
    case RuntimeWalk::kFrames:
      track.stacks_exact.Add(1);
      break;
    case RuntimeWalk::kFailed:
      track.stacks_lost.Add(1);
      break;
    case RuntimeWalk::kNoFrames:
      break;
  }
  return stack;
}

[[gnu::noinline]]  // it takes much stack, which its caller must not
StackWalker::RuntimeWalk
StackWalker::WalkByRuntime(ThreadTrack& track, FrameRegisters at, const RuleWalk* failed,
                           WalkedStack& out) {
  Snapshot snapshot;
  snapshot.track = &track;
  if (failed != nullptr && !(whole_wanted_.load(std::memory_order_relaxed) &&
                             whole_wanted_.exchange(false, std::memory_order_relaxed))) {
    snapshot.walker = this;
    snapshot.no_rule_sp = failed->stopped_sp;
  }
  const clr::HRESULT result = info_->DoStackSnapshot(
      0, &Snapshot::OnFrame, clr::kSnapshotRegisterContext, &snapshot, nullptr, 0);
  if (snapshot.count == 0) {
    // A thread that is being created waits for its creator's lock before it has a managed frame:
    // the runtime's walk then fails without a callback (StackWalkFramesEx of vm/stackwalk.cpp
    // begins with SWA_FAILED, which becomes E_FAIL).
    return result == clr::E_FAIL && !snapshot.called ? RuntimeWalk::kNoFrames
                                                     : RuntimeWalk::kFailed;
  }
  out.frames = {track.frames, snapshot.is_whole() ? snapshot.count : snapshot.whole_count};
  out.first_sp = snapshot.first_sp;
  out.truncated = snapshot.truncated;
  if (snapshot.is_whole() && !snapshot.truncated) track.root_sp = snapshot.last_sp;
  if (snapshot.count <= kMaxLearnDepth) Learn(track, at, snapshot);
  return RuntimeWalk::kFrames;
}

void StackWalker::Learn(const ThreadTrack& track, FrameRegisters at, const Snapshot& snapshot) {
  bool inside = false;  // `at` is a managed frame
  for (size_t i = 0; i < snapshot.count; ++i) {
    if (!LearnStep(track, at, snapshot, i, inside)) return;
    inside = true;
  }
  // The outermost frame's own caller is never needed: walks end at the track's root_sp. In the
  // middle of another stack, the frame is learned there.
  if (snapshot.is_whole() && rules_.Find(at.ip).kind == UnwindRule::Kind::kUnknown) {
    rules_.Learn(at.ip, {UnwindRule::Kind::kOpaque, true, 0});
  }
}

// Whether `ip`, which the runtime's walk does not show, may be skipped like native code. It may if
// it is native, or the runtime's own managed code that dispatches exceptions (.NET 9 and later).
// Otherwise it belongs to a method further out. If that is the very next frame, the method was
// replaced while it ran (on-stack replacement leaves the old frame under the new one). If not, it
// is a handler, filter or finally block, which runs on top of frames that are being left: only the
// runtime knows where the walk continues. Nor does the runtime report the position in the handler:
// it shows the method at the position where its block was left. See ShowHandler.
bool StackWalker::IsPassed(uintptr_t ip, bool is_next, const Snapshot& snapshot) {
  const UnwindRule known = rules_.Find(ip);
  if (known.kind != UnwindRule::Kind::kUnknown) return !known.managed;
  clr::FunctionID function = 0;
  if (clr::Failed(info_->GetFunctionFromIP(reinterpret_cast<const uint8_t*>(ip), &function)) ||
      is_next) {
    return true;
  }
  if (snapshot.Holds(function)) {
    rules_.Learn(ip, {UnwindRule::Kind::kOpaque, true, 0});
    return false;
  }
  // It may belong to a method that the runtime's walk did not get to.
  if (!snapshot.is_whole()) whole_wanted_.store(true, std::memory_order_relaxed);
  return snapshot.is_whole();
}

// A throw from a handler or finally block: the innermost frame is its method, at position `ip`.
void StackWalker::ShowHandler(const ThreadTrack& track, uintptr_t ip, const Snapshot& snapshot) {
  clr::FunctionID function = 0;
  if (clr::Succeeded(info_->GetFunctionFromIP(reinterpret_cast<const uint8_t*>(ip), &function)) &&
      function == snapshot.functions[0]) {
    track.frames[0] = ip;
  }
}

}  // namespace hindsight::recorder
