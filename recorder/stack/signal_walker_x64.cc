// Frames on x64: the return address is right below the frame, and the caller's rbp anywhere in it.
#include "recorder/stack/sampled_place.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stack/stack_range.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

constexpr uintptr_t kWord = sizeof(uintptr_t);

// The kernel's signal frame: rsp points to a ucontext_t, whose registers begin at byte 40 (in the
// order of sys/ucontext.h).
constexpr uintptr_t kUcontextRbp = 40 + 10 * 8, kUcontextRsp = 40 + 15 * 8,
                    kUcontextRip = 40 + 16 * 8;

struct Stack : StackRange {
  // Moves to the caller whose frame begins at `cfa`, with its bp at `bp_address` (0: unchanged).
  // The registers remain unchanged if that is impossible.
  bool Climb(uintptr_t cfa, uintptr_t bp_address, InterruptedAt& at) {
    uintptr_t ip = 0, bp = at.bp;
    if (cfa <= low || !Read(cfa - kWord, ip)) return false;
    // In an epilog, gcc's tables still say where bp was saved after it has been popped.
    if (bp_address >= low && !Read(bp_address, bp)) return false;
    at = {ip, cfa, bp};
    low = cfa;
    return true;
  }

  bool LeaveSignal(InterruptedAt& at) {
    InterruptedAt before;
    if (!Read(at.sp + kUcontextRip, before.ip) || !Read(at.sp + kUcontextRsp, before.sp) ||
        !Read(at.sp + kUcontextRbp, before.bp) || before.sp <= at.sp || before.sp >= high) {
      return false;
    }
    at = before;
    low = at.sp;
    return true;
  }
};

bool Take(UnwindStep step, Stack& stack, InterruptedAt& at) {
  const uintptr_t bytes = step.words * kWord;
  uintptr_t cfa = 0;
  switch (step.is()) {
    case Kind::kSp:
      cfa = at.sp + bytes;
      break;
    case Kind::kBp:
      cfa = at.bp + bytes;
      break;
    case Kind::kBpSlot:
      return stack.Read(at.bp - bytes, cfa) && stack.Climb(cfa, at.bp, at);
    case Kind::kPlt:
      cfa = at.sp + kWord + ((at.ip & 15) >= step.words ? kWord : 0);
      break;
    case Kind::kSignal:
      return stack.LeaveSignal(at);
    case Kind::kUnknown:
    case Kind::kRoot:
    case Kind::kOsr:
      return false;
  }
  return stack.Climb(cfa, step.bp_words != 0 ? cfa - step.bp_words * kWord : 0, at);
}

}  // namespace

SignalStack SignalWalker::Walk(InterruptedAt at, uintptr_t stack_high,
                               std::span<uintptr_t> out) const {
  const Walks::InFlight in_flight(walks_);
  SignalStack walked;
  Stack stack{{at.sp, stack_high}};
  bool is_exact = true;  // at.ip is an instruction, not a return address
  while (walked.frames < out.size()) {
    out[walked.frames] = SampledPlace::Word(at.ip, is_exact, walked.frames);
    ++walked.frames;
    UnwindStep step = is_exact ? StepFromInstruction(at, stack_high) : StepFromCall(at.ip - 1);
    if (step.is() == Kind::kOsr) step = StepOver(at, stack_high);
    is_exact = step.is() == Kind::kSignal;
    if (step.is() == Kind::kRoot) {
      walked.rooted = true;
      return walked;
    }
    if (!Take(step, stack, at)) {
      // Along the chain, where the tables have no answer or are wrong.
      if (at.bp == 0) walked.rooted = true;
      if (!Take(UnwindStep::Of(Kind::kBp, 2, 2), stack, at)) return walked;
    }
    if (at.ip == 0) {
      walked.rooted = true;
      return walked;
    }
  }
  walked.truncated = true;
  return walked;
}

UnwindStep SignalWalker::StepFromInstruction(InterruptedAt at, uintptr_t stack_high) const {
  if (const std::optional<UnwindStep> managed = StepInManaged(at.ip)) return *managed;
  if (native_.Contains(at.ip)) return StepFromCall(at.ip);
  // A stub of the runtime: most have been called, and keep nothing on the stack.
  uintptr_t caller = 0;
  if (StackRange{at.sp, stack_high}.Read(at.sp, caller) && IsCode(caller - 1)) {
    return UnwindStep::Of(Kind::kSp, 1);
  }
  return {};
}

// The step from a body that replaced a running one. The runtime enters it with the stack pointer of
// the replaced body, below which there is still the return address of the call that led to the
// replacement (dotnet/runtime, src/coreclr/vm/jithelpers.cpp: JIT_Patchpoint). The caller is that
// of the replaced body; the new body has saved its bp.
UnwindStep SignalWalker::StepOver(InterruptedAt at, uintptr_t stack_high) const {
  uintptr_t replaced = 0;
  uint32_t frame_words = 0;
  if (StackRange{at.sp, stack_high}.Read(at.bp + kWord, replaced)) {
    frame_words = managed_.Find(replaced - 1).frame_words;
  }
  return UnwindStep::Of(Kind::kBp, 2 + frame_words, 2 + frame_words);
}

}  // namespace hindsight::recorder
