#include "recorder/stack/stack_walker.h"

#include <algorithm>

#include "proto/limits.h"
#include "recorder/base/load_word.h"
#include "recorder/stack/context.h"

namespace hindsight::recorder {
namespace {

// The largest distance that a rule can store.
constexpr uintptr_t kMaxFrameBytes = 0xfff8;
// A frame that was replaced while it ran is closer to its caller than this. A handler is further
// from the frame to which it belongs: the dispatch of its exception is in between, with a CONTEXT
// of 1232 bytes.
constexpr uintptr_t kMaxReplacedFrameBytes = 1024;

// Whether two words can be read at `address` (any value): on the own stack, above `low`.
bool OnStack(const ThreadTrack& track, uintptr_t address, uintptr_t low) {
  return address >= low && address % sizeof(uintptr_t) == 0 && address < track.stack_high &&
         track.stack_high - address >= 2 * sizeof(uintptr_t);
}

}  // namespace

struct StackWalker::Snapshot {
  ThreadTrack* track;
  size_t count = 0;
  bool called = false;  // called back, for any frame
  bool truncated = false;
  uintptr_t first_sp = 0;
  uintptr_t last_sp = 0;
  Registers registers[kMaxLearnDepth];
  clr::FunctionID functions[kMaxLearnDepth];

  bool Holds(clr::FunctionID function) const {
    const size_t known = std::min<size_t>(count, kMaxLearnDepth);
    return std::find(functions, functions + known, function) != functions + known;
  }

  static clr::HRESULT OnFrame(clr::FunctionID function, uintptr_t ip, clr::COR_PRF_FRAME_INFO,
                              uint32_t, uint8_t* context, void* self) {
    auto& snapshot = *static_cast<Snapshot*>(self);
    snapshot.called = true;
    if (function == 0) return clr::S_OK;  // a run of native frames
    if (snapshot.count == snapshot.track->frame_capacity && !snapshot.track->GrowFrames()) {
      snapshot.truncated = true;
      return clr::S_FALSE;
    }
    const uintptr_t sp = context != nullptr ? ContextWord(context, kContextRsp) : 0;
    if (snapshot.count == 0) snapshot.first_sp = sp;
    snapshot.last_sp = sp;
    if (snapshot.count < kMaxLearnDepth && context != nullptr) {
      snapshot.registers[snapshot.count] = {ContextWord(context, kContextRip), sp,
                                            ContextWord(context, kContextRbp)};
      snapshot.functions[snapshot.count] = function;
    }
    snapshot.track->frames[snapshot.count++] = ip;
    return clr::S_OK;
  }
};

WalkedStack StackWalker::Walk(ThreadTrack& track, uintptr_t frame_address) {
  const Registers start = {LoadWord(frame_address + sizeof(uintptr_t)),
                           frame_address + 2 * sizeof(uintptr_t), LoadWord(frame_address)};
  WalkedStack stack;
  if (WalkByRules(track, start, stack)) {
    track.stacks_fast.Add(1);
    if (track.stacks_fast.Read() % kVerifyEvery != 0) return stack;

    uintptr_t expected[kMaxLearnDepth];
    const size_t depth = std::min<size_t>(stack.frames.size(), kMaxLearnDepth);
    std::copy_n(stack.frames.begin(), depth, expected);
    const size_t full_depth = stack.frames.size();
    if (WalkByRuntime(track, start, stack) != RuntimeWalk::kFrames) return stack;
    track.stacks_verified.Add(1);
    if (stack.frames.size() != full_depth ||
        !std::equal(expected, expected + depth, stack.frames.begin())) {
      track.stacks_mismatched.Add(1);
      rules_.Forget();
    }
    return stack;
  }
  switch (WalkByRuntime(track, start, stack)) {
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

bool StackWalker::WalkByRules(ThreadTrack& track, Registers at, WalkedStack& out) const {
  size_t count = 0;
  uintptr_t first_sp = 0;
  while (true) {
    const UnwindRule rule = rules_.Find(at.ip);
    if (rule.kind == UnwindRule::Kind::kUnknown) return false;
    if (rule.managed) {
      if (count == track.frame_capacity && !track.GrowFrames()) return false;
      if (count == 0) first_sp = at.sp;
      track.frames[count++] = at.ip;
      if (at.sp == track.root_sp) break;  // the outermost managed frame of this thread
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
  if (count == 0) return false;
  out.frames = {track.frames, count};
  out.first_sp = first_sp;
  out.truncated = false;
  return true;
}

StackWalker::RuntimeWalk StackWalker::WalkByRuntime(ThreadTrack& track, Registers at,
                                                    WalkedStack& out) {
  Snapshot snapshot;
  snapshot.track = &track;
  const clr::HRESULT result = info_->DoStackSnapshot(
      0, &Snapshot::OnFrame, clr::kSnapshotRegisterContext, &snapshot, nullptr, 0);
  if (snapshot.count == 0) {
    // A thread that is being created waits for its creator's lock before it has a managed frame:
    // the runtime's walk then fails without a callback (StackWalkFramesEx of vm/stackwalk.cpp
    // begins with SWA_FAILED, which becomes E_FAIL).
    return result == clr::E_FAIL && !snapshot.called ? RuntimeWalk::kNoFrames
                                                     : RuntimeWalk::kFailed;
  }
  out.frames = {track.frames, snapshot.count};
  out.first_sp = snapshot.first_sp;
  out.truncated = snapshot.truncated;
  if (!snapshot.truncated) track.root_sp = snapshot.last_sp;
  if (snapshot.count <= kMaxLearnDepth) Learn(track, at, snapshot);
  return RuntimeWalk::kFrames;
}

void StackWalker::Learn(const ThreadTrack& track, Registers at, const Snapshot& snapshot) {
  bool inside = false;  // `at` is a managed frame
  for (size_t i = 0; i < snapshot.count; ++i) {
    if (!LearnStep(track, at, snapshot, i, inside)) return;
    inside = true;
  }
  // The outermost frame's own caller is never needed: walks end at the track's root_sp. In the
  // middle of another stack, the frame is learned there.
  if (rules_.Find(at.ip).kind == UnwindRule::Kind::kUnknown) {
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
      !snapshot.Holds(function) || is_next) {
    return true;
  }
  rules_.Learn(ip, {UnwindRule::Kind::kOpaque, true, 0});
  return false;
}

// A throw from a handler or finally block: the innermost frame is its method, at position `ip`.
void StackWalker::ShowHandler(const ThreadTrack& track, uintptr_t ip, const Snapshot& snapshot) {
  clr::FunctionID function = 0;
  if (clr::Succeeded(info_->GetFunctionFromIP(reinterpret_cast<const uint8_t*>(ip), &function)) &&
      function == snapshot.functions[0]) {
    track.frames[0] = ip;
  }
}

// Steps from `at` to managed frame `index`, through native frames if there are any, and learns the
// rule of every step. `managed` says what `at` is. False: no rule leads there, and an address on
// the way is opaque.
bool StackWalker::LearnStep(const ThreadTrack& track, Registers& at, const Snapshot& snapshot,
                            size_t index, bool managed) {
  const Registers& target = snapshot.registers[index];
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
    Registers caller{};
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
