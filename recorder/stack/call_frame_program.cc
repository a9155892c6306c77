#include "recorder/stack/call_frame_program.h"

#include "recorder/stack/call_frame_state.h"
#include "recorder/stack/dwarf_reader.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

constexpr size_t kMaxRemembered = 16;

class Program {
 public:
  Program(const CallFrameRules& rules, uint32_t start, uint32_t end, std::vector<UnwindRow>& rows)
      : rules_(rules), place_(start), end_(end), rows_(rows) {}

  void Run(std::span<const uint8_t> instructions) {
    if (rules_.is_signal_frame) return Emit(UnwindStep::Of(Kind::kSignal));
    Execute(rules_.instructions);
    initial_ = state_;
    Execute(instructions);
    Emit(broken_ ? UnwindStep{} : state_.Step());
  }

 private:
  void Emit(UnwindStep step) {
    if (!rows_.empty() && rows_.back().offset == place_) {
      rows_.back().step = step;
    } else if (rows_.empty() || !(rows_.back().step == step)) {
      rows_.push_back({place_, step});
    }
  }

  // The current state applies up to `place`.
  void AdvanceTo(uint64_t place) {
    if (place <= place_) return;
    if (place >= end_) {
      broken_ = true;  // beyond its function: the rest is ignored
      return;
    }
    Emit(state_.Step());
    place_ = static_cast<uint32_t>(place);
  }

  void Execute(std::span<const uint8_t> instructions) {
    DwarfReader reader(instructions, 0);
    while (!reader.done() && !broken_) One(reader);
    broken_ = broken_ || !reader.ok();
  }

  void One(DwarfReader& reader) {
    const auto byte = reader.Fixed<uint8_t>();
    const uint64_t low = byte & 0x3f;
    switch (byte & 0xc0) {
      case 0x40:  // DW_CFA_advance_loc
        return AdvanceTo(place_ + low * rules_.code_factor);
      case 0x80:  // DW_CFA_offset
        return Expect(state_.Saved(low, Scaled(reader.Uleb())));
      case 0xc0:  // DW_CFA_restore
        return state_.Restore(low, initial_);
      default:
        return Extended(low, reader);
    }
  }

  void Extended(uint64_t instruction, DwarfReader& reader) {
    switch (instruction) {
      case 0x00:  // DW_CFA_nop
        return;
      case 0x02:  // DW_CFA_advance_loc1, 2, 4
        return AdvanceTo(place_ + reader.Fixed<uint8_t>() * rules_.code_factor);
      case 0x03:
        return AdvanceTo(place_ + reader.Fixed<uint16_t>() * rules_.code_factor);
      case 0x04:
        return AdvanceTo(place_ + reader.Fixed<uint32_t>() * rules_.code_factor);
      case 0x05: {  // DW_CFA_offset_extended
        const uint64_t saved = reader.Uleb();
        return Expect(state_.Saved(saved, Scaled(reader.Uleb())));
      }
      case 0x06:  // DW_CFA_restore_extended
        return state_.Restore(reader.Uleb(), initial_);
      case 0x07:  // DW_CFA_undefined
        return state_.Undefined(reader.Uleb());
      case 0x08:  // DW_CFA_same_value
        return state_.Same(reader.Uleb());
      case 0x09:  // DW_CFA_register
        Expect(state_.Elsewhere(reader.Uleb()));
        reader.Uleb();
        return;
      case 0x0a:  // DW_CFA_remember_state
        if (remembered_ == memory_.size()) {
          broken_ = true;
        } else {
          memory_[remembered_++] = state_;
        }
        return;
      case 0x0b:  // DW_CFA_restore_state
        if (remembered_ == 0) {
          broken_ = true;
        } else {
          state_ = memory_[--remembered_];
        }
        return;
      case 0x0c:    // DW_CFA_def_cfa
      case 0x12: {  // DW_CFA_def_cfa_sf
        state_.CfaRegister(reader.Uleb());
        return state_.CfaOffset(instruction == 0x0c ? static_cast<int64_t>(reader.Uleb())
                                                    : Scaled(static_cast<uint64_t>(reader.Sleb())));
      }
      case 0x0d:  // DW_CFA_def_cfa_register
        return state_.CfaRegister(reader.Uleb());
      case 0x0e:  // DW_CFA_def_cfa_offset
        return state_.CfaOffset(static_cast<int64_t>(reader.Uleb()));
      case 0x13:  // DW_CFA_def_cfa_offset_sf
        return state_.CfaOffset(Scaled(static_cast<uint64_t>(reader.Sleb())));
      case 0x0f:  // DW_CFA_def_cfa_expression
        return state_.CfaExpression(reader.Bytes(reader.Uleb()));
      case 0x10:    // DW_CFA_expression
      case 0x16: {  // DW_CFA_val_expression
        const uint64_t saved = reader.Uleb();
        return Expect(state_.Expression(saved, reader.Bytes(reader.Uleb()), instruction == 0x10));
      }
      case 0x11: {  // DW_CFA_offset_extended_sf
        const uint64_t saved = reader.Uleb();
        return Expect(state_.Saved(saved, Scaled(static_cast<uint64_t>(reader.Sleb()))));
      }
      case 0x14:  // DW_CFA_val_offset, _sf
      case 0x15:
        Expect(state_.Elsewhere(reader.Uleb()));
        reader.Uleb();  // as long as a signed one
        return;
      case 0x2d:  // DW_CFA_AARCH64_negate_ra_state
        return Expect(state_.NegateReturnAddressState());
      case 0x2e:  // DW_CFA_GNU_args_size
        reader.Uleb();
        return;
      default:
        broken_ = true;
    }
  }

  // By the CIE's factor; out-of-range numbers wrap around.
  int64_t Scaled(uint64_t number) const {
    return static_cast<int64_t>(number * static_cast<uint64_t>(rules_.data_factor));
  }

  void Expect(bool holds) { broken_ = broken_ || !holds; }

  const CallFrameRules& rules_;
  uint32_t place_;
  const uint32_t end_;
  std::vector<UnwindRow>& rows_;
  CallFrameState state_, initial_;
  std::array<CallFrameState, kMaxRemembered> memory_;
  size_t remembered_ = 0;
  bool broken_ = false;
};

}  // namespace

void RunCallFrameProgram(const CallFrameRules& rules, std::span<const uint8_t> instructions,
                         uint32_t start, uint32_t end, std::vector<UnwindRow>& rows) {
  Program(rules, start, end, rows).Run(instructions);
}

}  // namespace hindsight::recorder
