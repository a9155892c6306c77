// How to step from an instruction to its caller, in 32 bits.
//
// The CFA (canonical frame address) is the stack pointer before the call. On x64, the return
// address is right below it; for arm64, see unwind_step_arm64.h. All offsets are multiples of 8
// bytes: words.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

struct UnwindStep {
  enum class Kind : uint8_t {
    kUnknown,  // nothing is known: follow the frame pointer
    kSp,       // CFA = sp + words
    kBp,       // CFA = bp + words
    kBpSlot,   // x64: CFA is in the stack word at bp - words, the caller's bp at bp: realigned
    kPlt,      // x64: CFA = sp + 1 word, and one more from byte `words` of a 16-byte entry on
    kSignal,   // a signal frame: all registers are in the ucontext at sp
    kRoot,     // has no caller
    kOsr,      // x64: a body on top of the frame of the body that it replaced while that ran
  };
  static constexpr uint32_t kMaxWords = (1u << 16) - 1;
  static constexpr uint32_t kMaxBpWords = (1u << 13) - 1;

  uint32_t kind : 3 = 0;
  uint32_t bp_words : 13 = 0;  // the caller's bp is this many words below the CFA; 0: unchanged
  uint32_t words : 16 = 0;

  static constexpr UnwindStep Of(Kind kind, uint32_t words = 0, uint32_t bp_words = 0) {
    if (words > kMaxWords || bp_words > kMaxBpWords) return {};
    UnwindStep step;
    step.kind = static_cast<uint32_t>(kind);
    step.words = words;
    step.bp_words = bp_words;
    return step;
  }
  constexpr Kind is() const { return static_cast<Kind>(kind); }
  constexpr bool operator==(const UnwindStep& other) const {
    return kind == other.kind && words == other.words && bp_words == other.bp_words;
  }
};
static_assert(sizeof(UnwindStep) == 4);

// Applies from `offset` until the next row.
struct UnwindRow {
  uint32_t offset;  // bytes from the start of the code
  UnwindStep step;

  bool operator==(const UnwindRow&) const = default;
};

}  // namespace hindsight::recorder
