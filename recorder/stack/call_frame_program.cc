#include "recorder/stack/call_frame_program.h"

#include <algorithm>

#include "recorder/stack/dwarf_reader.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

// DWARF's numbers of the relevant x64 registers.
constexpr uint64_t kRbp = 6, kRsp = 7, kReturnAddress = 16;
constexpr int64_t kWord = 8;
constexpr size_t kMaxRemembered = 16;

// The caller's registers at one location of the function.
struct State {
  enum class Cfa : uint8_t { kNone, kSp, kBp, kBpSlot, kPlt };
  enum class Bp : uint8_t { kSame, kSaved, kAtFrame, kLost };

  Cfa cfa = Cfa::kNone;
  Bp bp = Bp::kSame;
  bool no_caller = false;
  int64_t cfa_offset = 0;  // bytes from the register; kPlt: the first byte of an entry with a push
  int64_t bp_offset = 0;   // kSaved: bytes from the CFA

  UnwindStep Step() const {
    if (no_caller) return UnwindStep::Of(Kind::kRoot);
    if (cfa == Cfa::kPlt) return UnwindStep::Of(Kind::kPlt, static_cast<uint32_t>(cfa_offset));
    if (cfa == Cfa::kNone || bp == Bp::kLost || cfa_offset % kWord != 0 || bp_offset % kWord != 0) {
      return {};
    }
    const int64_t words = cfa_offset / kWord;
    if (cfa == Cfa::kBpSlot) {
      if (words > 0 || -words > UnwindStep::kMaxWords || bp != Bp::kAtFrame) return {};
      return UnwindStep::Of(Kind::kBpSlot, static_cast<uint32_t>(-words));
    }
    const int64_t bp_words = bp == Bp::kSaved ? -(bp_offset / kWord) : 0;
    if (words <= 0 || words > UnwindStep::kMaxWords || bp_words < 0 ||
        bp_words > UnwindStep::kMaxBpWords || bp == Bp::kAtFrame) {
      return {};
    }
    return UnwindStep::Of(cfa == Cfa::kSp ? Kind::kSp : Kind::kBp, static_cast<uint32_t>(words),
                          static_cast<uint32_t>(bp_words));
  }
};

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
        return Saved(low, Scaled(reader.Uleb()));
      case 0xc0:  // DW_CFA_restore
        return Restore(low);
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
        return Saved(saved, Scaled(reader.Uleb()));
      }
      case 0x06:  // DW_CFA_restore_extended
        return Restore(reader.Uleb());
      case 0x07:  // DW_CFA_undefined
        return Undefined(reader.Uleb());
      case 0x08: {  // DW_CFA_same_value
        if (reader.Uleb() == kRbp) state_.bp = State::Bp::kSame;
        return;
      }
      case 0x09:  // DW_CFA_register
        Elsewhere(reader.Uleb());
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
        CfaRegister(reader.Uleb());
        state_.cfa_offset = instruction == 0x0c ? static_cast<int64_t>(reader.Uleb())
                                                : Scaled(static_cast<uint64_t>(reader.Sleb()));
        return;
      }
      case 0x0d:  // DW_CFA_def_cfa_register
        return CfaRegister(reader.Uleb());
      case 0x0e:  // DW_CFA_def_cfa_offset
        state_.cfa_offset = static_cast<int64_t>(reader.Uleb());
        return;
      case 0x13:  // DW_CFA_def_cfa_offset_sf
        state_.cfa_offset = Scaled(static_cast<uint64_t>(reader.Sleb()));
        return;
      case 0x0f:  // DW_CFA_def_cfa_expression
        return CfaExpression(reader.Bytes(reader.Uleb()));
      case 0x10:    // DW_CFA_expression
      case 0x16: {  // DW_CFA_val_expression
        const uint64_t saved = reader.Uleb();
        return Expression(saved, reader.Bytes(reader.Uleb()), instruction == 0x10);
      }
      case 0x11: {  // DW_CFA_offset_extended_sf
        const uint64_t saved = reader.Uleb();
        return Saved(saved, Scaled(static_cast<uint64_t>(reader.Sleb())));
      }
      case 0x14:  // DW_CFA_val_offset, _sf
      case 0x15:
        Elsewhere(reader.Uleb());
        reader.Uleb();  // as long as a signed one
        return;
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

  void CfaRegister(uint64_t number) {
    state_.cfa = number == kRsp   ? State::Cfa::kSp
                 : number == kRbp ? State::Cfa::kBp
                                  : State::Cfa::kNone;
  }

  void Saved(uint64_t number, int64_t offset) {
    if (number == kRbp) {
      state_.bp = State::Bp::kSaved;
      state_.bp_offset = offset;
    } else if (number == kReturnAddress) {
      // A row cannot express any place other than right below the CFA.
      state_.no_caller = false;
      if (offset != -kWord) broken_ = true;
    }
  }

  void Restore(uint64_t number) {
    if (number == kRbp) {
      state_.bp = initial_.bp;
      state_.bp_offset = initial_.bp_offset;
    } else if (number == kReturnAddress) {
      state_.no_caller = initial_.no_caller;
    }
  }

  // The return address of a thread's first function is undefined.
  void Undefined(uint64_t number) {
    if (number == kReturnAddress) state_.no_caller = true;
    if (number == kRbp) state_.bp = State::Bp::kLost;
  }

  void Elsewhere(uint64_t number) {
    if (number == kRbp) state_.bp = State::Bp::kLost;
    if (number == kReturnAddress) broken_ = true;
  }

  void CfaExpression(std::span<const uint8_t> code) {
    state_.cfa = State::Cfa::kNone;
    // As linkers write it for the PLT: rsp + 8 + ((rip & 15) >= K) * 8.
    static constexpr uint8_t kPltHead[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a};
    static constexpr uint8_t kPltTail[] = {0x2a, 0x33, 0x24, 0x22};
    constexpr uint8_t kLiteral0 = 0x30;
    if (code.size() == 11 && std::ranges::equal(code.first(6), kPltHead) &&
        std::ranges::equal(code.last(4), kPltTail) && code[6] >= kLiteral0 &&
        code[6] < kLiteral0 + 16) {
      state_.cfa = State::Cfa::kPlt;
      state_.cfa_offset = code[6] - kLiteral0;
      return;
    }
    // As gcc writes it where it realigns the stack: the word at rbp + N.
    constexpr uint8_t kBreg6 = 0x76, kDereference = 0x06;
    if (code.size() >= 3 && code.front() == kBreg6 && code.back() == kDereference) {
      DwarfReader reader(code.subspan(1, code.size() - 2), 0);
      state_.cfa_offset = reader.Sleb();
      if (reader.ok() && reader.done()) state_.cfa = State::Cfa::kBpSlot;
    }
  }

  void Expression(uint64_t number, std::span<const uint8_t> code, bool is_place) {
    static constexpr uint8_t kAtRbp[] = {0x76, 0x00};
    if (number == kRbp && is_place && std::ranges::equal(code, kAtRbp)) {
      state_.bp = State::Bp::kAtFrame;
    } else {
      Elsewhere(number);
    }
  }

  const CallFrameRules& rules_;
  uint32_t place_;
  const uint32_t end_;
  std::vector<UnwindRow>& rows_;
  State state_, initial_;
  std::array<State, kMaxRemembered> memory_;
  size_t remembered_ = 0;
  bool broken_ = false;
};

}  // namespace

void RunCallFrameProgram(const CallFrameRules& rules, std::span<const uint8_t> instructions,
                         uint32_t start, uint32_t end, std::vector<UnwindRow>& rows) {
  Program(rules, start, end, rows).Run(instructions);
}

}  // namespace hindsight::recorder
