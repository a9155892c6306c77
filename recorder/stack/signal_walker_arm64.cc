// Frames on arm64: a function has its return address in x30, or has saved it with the caller's x29
// as a frame record anywhere in its frame (unwind_step_arm64.h). The chain of records, from x29,
// leads through nearly all code, but does not show stack pointers.
#include "recorder/base/load_word.h"
#include "recorder/stack/return_address_arm64.h"
#include "recorder/stack/sampled_place.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stack/stack_range.h"
#include "recorder/stack/unwind_step_arm64.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

constexpr uintptr_t kWord = sizeof(uintptr_t);

// The kernel's signal frame: sp points to a siginfo_t of 128 bytes, followed by a ucontext_t, whose
// uc_mcontext begins at byte 176 with the fault's address. Then come x0 to x30, sp and pc.
constexpr uintptr_t kRegisters = 128 + 176 + kWord;
constexpr uintptr_t kSavedFp = kRegisters + 29 * kWord, kSavedLink = kRegisters + 30 * kWord,
                    kSavedSp = kRegisters + 31 * kWord, kSavedPc = kRegisters + 32 * kWord;

// The stack above the frames already walked, and the registers of the current frame.
class Climber {
 public:
  Climber(InterruptedAt at, uintptr_t high) : at_(at), stack_{at.sp, high} {
    at_.link = WithoutSignature(at_.link);
  }

  const InterruptedAt& at() const { return at_; }

  // The registers remain unchanged if that is impossible.
  bool Take(UnwindStep step) {
    if (step.is() == Kind::kSignal) return LeaveSignal();
    if (step.is() != Kind::kSp && step.is() != Kind::kBp) return false;
    if (step.is() == Kind::kSp && !sp_known_) return false;
    const uintptr_t cfa = (step.is() == Kind::kSp ? at_.sp : at_.bp) + step.words * kWord;
    if (step.bp_words == 0) {
      if (at_.link == 0 || cfa < stack_.low || cfa > stack_.high) return false;
      return Move({at_.link, cfa, at_.bp, 0});
    }
    const uintptr_t record = cfa - (step.bp_words & kMaxRecordWords) * kWord;
    uintptr_t link = 0, bp = at_.bp;
    if ((step.bp_words & kLinkAlone) != 0) {
      if (!stack_.Read(record, link)) return false;
    } else if (!stack_.Read(record, bp) || !stack_.Read(record + kWord, link)) {
      return false;
    }
    if (cfa <= stack_.low) return false;
    return Move({WithoutSignature(link), cfa, bp, 0});
  }

  // Follows the chain: the frame extends at least to the end of the record.
  bool Follow() {
    uintptr_t bp = 0, link = 0;
    if (!stack_.Read(at_.bp, bp) || !stack_.Read(at_.bp + kWord, link)) return false;
    Move({WithoutSignature(link), at_.bp + 2 * kWord, bp, 0});
    sp_known_ = false;
    return true;
  }

 private:
  bool Move(InterruptedAt to) {
    at_ = to;
    stack_.low = to.sp;
    sp_known_ = true;
    return true;
  }

  bool LeaveSignal() {
    InterruptedAt before{};
    if (!sp_known_ || !stack_.Read(at_.sp + kSavedPc, before.ip) ||
        !stack_.Read(at_.sp + kSavedSp, before.sp) || !stack_.Read(at_.sp + kSavedFp, before.bp) ||
        !stack_.Read(at_.sp + kSavedLink, before.link) || before.sp <= at_.sp ||
        before.sp >= stack_.high) {
      return false;
    }
    before.link = WithoutSignature(before.link);
    return Move(before);
  }

  InterruptedAt at_;
  StackRange stack_;
  bool sp_known_ = true;
};

}  // namespace

SignalStack SignalWalker::Walk(InterruptedAt at, uintptr_t stack_high,
                               std::span<uintptr_t> out) const {
  const Walks::InFlight in_flight(walks_);
  SignalStack walked;
  Climber climber(at, stack_high);
  bool is_exact = true;  // the address is an instruction, not a return address
  while (walked.frames < out.size()) {
    const uintptr_t ip = climber.at().ip;
    out[walked.frames] = SampledPlace::Word(ip, is_exact, walked.frames);
    ++walked.frames;
    const UnwindStep step =
        is_exact ? StepFromInstruction(climber.at(), stack_high) : StepFromCall(ip - 1);
    is_exact = step.is() == Kind::kSignal;
    if (step.is() == Kind::kRoot) {
      walked.rooted = true;
      return walked;
    }
    if (!climber.Take(step)) {
      // Along the chain, where the tables have no answer or are wrong.
      is_exact = false;
      if (climber.at().bp == 0) walked.rooted = true;
      if (!climber.Follow()) return walked;
    }
    if (climber.at().ip == 0) {
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
  // A stub of the runtime: most have been called, and leave the return address in x30. A method
  // that is not known yet may have saved it: then the innermost frame record contains it too.
  if (at.link == 0 || !IsCode(at.link - 1)) return {};
  const bool has_record =
      at.bp >= at.sp && at.bp % kWord == 0 && at.bp < stack_high && stack_high - at.bp >= 2 * kWord;
  if (has_record && WithoutSignature(LoadWord(at.bp + kWord)) == at.link) return {};
  return UnwindStep::Of(Kind::kSp);
}

// A body that replaced a running one needs no step of its own: its frame record contains what the
// replaced body had saved (dotnet/runtime, src/coreclr/vm/jithelpers.cpp: JIT_Patchpoint). No
// prolog is read as kOsr.
UnwindStep SignalWalker::StepOver(InterruptedAt, uintptr_t) const { return {}; }

}  // namespace hindsight::recorder
