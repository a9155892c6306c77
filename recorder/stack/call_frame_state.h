// What call frame information says about the caller's registers at one location in a function.
// Which registers matter, and what a row can express, is in call_frame_state_<processor>.cc.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/stack/unwind_step.h"

namespace hindsight::recorder {

class CallFrameState {
 public:
  // The step that a row stores for this location; kUnknown if a row cannot express it.
  UnwindStep Step() const;

  // DW_CFA_def_cfa...: by register and distance in bytes, or by an expression.
  void CfaRegister(uint64_t number);
  void CfaOffset(int64_t bytes) { cfa_offset_ = bytes; }
  void CfaExpression(std::span<const uint8_t> code);

  // The caller's register `number` is saved at CFA + `offset`; is as in `initial`; is unchanged; is
  // undefined; is stored elsewhere; is stored at the address that an expression yields
  // (`is_place`), or is the expression's value. False: no row can express this, here or later in
  // the function.
  bool Saved(uint64_t number, int64_t offset);
  void Restore(uint64_t number, const CallFrameState& initial);
  void Same(uint64_t number);
  void Undefined(uint64_t number);
  bool Elsewhere(uint64_t number);
  bool Expression(uint64_t number, std::span<const uint8_t> code, bool is_place);

  // DW_CFA_AARCH64_negate_ra_state; on other processors, its code stands for a different
  // instruction.
  bool NegateReturnAddressState();

 private:
  enum class Cfa : uint8_t { kNone, kSp, kBp, kBpSlot, kPlt };
  enum class Place : uint8_t { kSame, kSaved, kAtFrame, kLost };

  Cfa cfa_ = Cfa::kNone;
  Place bp_ = Place::kSame;
  Place link_ = Place::kSame;  // the return address, where calls leave it in a register
  bool no_caller_ = false;
  int64_t cfa_offset_ = 0;  // bytes from the register; kPlt: the first byte of an entry with a push
  int64_t bp_offset_ = 0;   // kSaved: bytes from the CFA
  int64_t link_offset_ = 0;
};

}  // namespace hindsight::recorder
