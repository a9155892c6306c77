// On arm64, rows use sp and the frame pointer x29. Calls leave the return address in x30; a
// function that calls others saves both as a frame record, x29 and x30 next to each other.
#include "recorder/stack/call_frame_state.h"
#include "recorder/stack/unwind_step_arm64.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

// DWARF numbers of the relevant registers.
constexpr uint64_t kFp = 29, kLink = 30, kSp = 31;
constexpr int64_t kWord = 8;

}  // namespace

UnwindStep CallFrameState::Step() const {
  if (no_caller_) return UnwindStep::Of(Kind::kRoot);
  if (cfa_ == Cfa::kNone || bp_ == Place::kLost || link_ == Place::kLost ||
      cfa_offset_ % kWord != 0 || bp_offset_ % kWord != 0 || link_offset_ % kWord != 0) {
    return {};
  }
  const int64_t words = cfa_offset_ / kWord;
  if (words < 0 || words > UnwindStep::kMaxWords) return {};
  const auto kind = cfa_ == Cfa::kSp ? Kind::kSp : Kind::kBp;
  if (link_ == Place::kSame) {  // compilers never save x29 without x30
    if (bp_ != Place::kSame) return {};
    return UnwindStep::Of(kind, static_cast<uint32_t>(words));
  }
  const bool is_record = bp_ == Place::kSaved;
  if (is_record && link_offset_ != bp_offset_ + kWord) return {};
  const int64_t below = -((is_record ? bp_offset_ : link_offset_) / kWord);
  if (below <= 0 || below > kMaxRecordWords) return {};
  return UnwindStep::Of(kind, static_cast<uint32_t>(words),
                        static_cast<uint32_t>(below) | (is_record ? 0 : kLinkAlone));
}

void CallFrameState::CfaRegister(uint64_t number) {
  cfa_ = number == kSp ? Cfa::kSp : number == kFp ? Cfa::kBp : Cfa::kNone;
}

void CallFrameState::CfaExpression(std::span<const uint8_t>) { cfa_ = Cfa::kNone; }

bool CallFrameState::Saved(uint64_t number, int64_t offset) {
  if (number == kFp) {
    bp_ = Place::kSaved;
    bp_offset_ = offset;
  } else if (number == kLink) {
    no_caller_ = false;
    link_ = Place::kSaved;
    link_offset_ = offset;
  }
  return true;
}

void CallFrameState::Restore(uint64_t number, const CallFrameState& initial) {
  if (number == kFp) {
    bp_ = initial.bp_;
    bp_offset_ = initial.bp_offset_;
  } else if (number == kLink) {
    no_caller_ = initial.no_caller_;
    link_ = initial.link_;
    link_offset_ = initial.link_offset_;
  }
}

void CallFrameState::Same(uint64_t number) {
  if (number == kFp) bp_ = Place::kSame;
  if (number == kLink) link_ = Place::kSame;
}

// The return address of a thread's first function is undefined.
void CallFrameState::Undefined(uint64_t number) {
  if (number == kLink) no_caller_ = true;
  if (number == kFp) bp_ = Place::kLost;
}

bool CallFrameState::Elsewhere(uint64_t number) {
  if (number == kFp) bp_ = Place::kLost;
  if (number == kLink) link_ = Place::kLost;
  return true;
}

bool CallFrameState::Expression(uint64_t number, std::span<const uint8_t>, bool) {
  return Elsewhere(number);
}

// Whether x30 is signed at this location does not matter: walks always strip the signature.
bool CallFrameState::NegateReturnAddressState() { return true; }

}  // namespace hindsight::recorder
