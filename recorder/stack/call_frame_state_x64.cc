// On x64, rows use rsp and rbp. Calls push the return address: it is right below the CFA.
#include <algorithm>

#include "recorder/stack/call_frame_state.h"
#include "recorder/stack/dwarf_reader.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

// DWARF numbers of the relevant registers.
constexpr uint64_t kRbp = 6, kRsp = 7, kReturnAddress = 16;
constexpr int64_t kWord = 8;

}  // namespace

UnwindStep CallFrameState::Step() const {
  if (no_caller_) return UnwindStep::Of(Kind::kRoot);
  if (cfa_ == Cfa::kPlt) return UnwindStep::Of(Kind::kPlt, static_cast<uint32_t>(cfa_offset_));
  if (cfa_ == Cfa::kNone || bp_ == Place::kLost || cfa_offset_ % kWord != 0 ||
      bp_offset_ % kWord != 0) {
    return {};
  }
  const int64_t words = cfa_offset_ / kWord;
  if (cfa_ == Cfa::kBpSlot) {
    if (words > 0 || -words > UnwindStep::kMaxWords || bp_ != Place::kAtFrame) return {};
    return UnwindStep::Of(Kind::kBpSlot, static_cast<uint32_t>(-words));
  }
  const int64_t bp_words = bp_ == Place::kSaved ? -(bp_offset_ / kWord) : 0;
  if (words <= 0 || words > UnwindStep::kMaxWords || bp_words < 0 ||
      bp_words > UnwindStep::kMaxBpWords || bp_ == Place::kAtFrame) {
    return {};
  }
  return UnwindStep::Of(cfa_ == Cfa::kSp ? Kind::kSp : Kind::kBp, static_cast<uint32_t>(words),
                        static_cast<uint32_t>(bp_words));
}

void CallFrameState::CfaRegister(uint64_t number) {
  cfa_ = number == kRsp ? Cfa::kSp : number == kRbp ? Cfa::kBp : Cfa::kNone;
}

void CallFrameState::CfaExpression(std::span<const uint8_t> code) {
  cfa_ = Cfa::kNone;
  // What linkers write for the PLT: rsp + 8 + ((rip & 15) >= K) * 8.
  static constexpr uint8_t kPltHead[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a};
  static constexpr uint8_t kPltTail[] = {0x2a, 0x33, 0x24, 0x22};
  constexpr uint8_t kLiteral0 = 0x30;
  if (code.size() == 11 && std::ranges::equal(code.first(6), kPltHead) &&
      std::ranges::equal(code.last(4), kPltTail) && code[6] >= kLiteral0 &&
      code[6] < kLiteral0 + 16) {
    cfa_ = Cfa::kPlt;
    cfa_offset_ = code[6] - kLiteral0;
    return;
  }
  // What gcc writes where it realigns the stack: the word at rbp + N.
  constexpr uint8_t kBreg6 = 0x76, kDereference = 0x06;
  if (code.size() >= 3 && code.front() == kBreg6 && code.back() == kDereference) {
    DwarfReader reader(code.subspan(1, code.size() - 2), 0);
    cfa_offset_ = reader.Sleb();
    if (reader.ok() && reader.done()) cfa_ = Cfa::kBpSlot;
  }
}

// A row can only express a return address that is right below the CFA.
bool CallFrameState::Saved(uint64_t number, int64_t offset) {
  if (number == kRbp) {
    bp_ = Place::kSaved;
    bp_offset_ = offset;
  } else if (number == kReturnAddress) {
    no_caller_ = false;
    return offset == -kWord;
  }
  return true;
}

void CallFrameState::Restore(uint64_t number, const CallFrameState& initial) {
  if (number == kRbp) {
    bp_ = initial.bp_;
    bp_offset_ = initial.bp_offset_;
  } else if (number == kReturnAddress) {
    no_caller_ = initial.no_caller_;
  }
}

void CallFrameState::Same(uint64_t number) {
  if (number == kRbp) bp_ = Place::kSame;
}

// The return address of a thread's first function is undefined.
void CallFrameState::Undefined(uint64_t number) {
  if (number == kReturnAddress) no_caller_ = true;
  if (number == kRbp) bp_ = Place::kLost;
}

bool CallFrameState::Elsewhere(uint64_t number) {
  if (number == kRbp) bp_ = Place::kLost;
  return number != kReturnAddress;
}

bool CallFrameState::Expression(uint64_t number, std::span<const uint8_t> code, bool is_place) {
  static constexpr uint8_t kAtRbp[] = {0x76, 0x00};
  if (number != kRbp || !is_place || !std::ranges::equal(code, kAtRbp)) return Elsewhere(number);
  bp_ = Place::kAtFrame;
  return true;
}

bool CallFrameState::NegateReturnAddressState() { return false; }

}  // namespace hindsight::recorder
