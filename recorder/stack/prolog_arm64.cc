// The prologs and epilogs that the JIT generates on arm64 (dotnet/runtime,
// src/coreclr/jit/codegenarm64.cpp: genPushCalleeSavedRegisters and
// genPopCalleeSavedRegistersAndFreeLclFrame): stores of pairs of registers, among them the frame
// record of x29 and x30, and changes of sp by constants; x29 is set last. A method without calls
// may have none of this.
#include <algorithm>
#include <cstring>

#include "recorder/stack/prolog.h"
#include "recorder/stack/unwind_step_arm64.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

constexpr size_t kInstructionBytes = 4;
constexpr int64_t kWord = 8;
constexpr uint32_t kFp = 29, kLink = 30, kSp = 31;

// One instruction, if it is one that prologs and epilogs contain.
struct Instruction {
  enum class Kind : uint8_t {
    kOther,
    kHint,    // bti, paciasp, autiasp, nop
    kStore,   // of one or two registers, relative to sp
    kLoad,    // likewise
    kAddSp,   // sp = sp + bytes, which may be negative
    kSetFp,   // x29 = sp + bytes
    kCall,    // bl, blr
    kReturn,  // ret
    kJump,    // b: by `bytes`
  };
  Kind kind = Kind::kOther;
  bool has_record = false;  // the registers are x29 and x30
  int64_t bytes = 0;        // kStore: where, from sp after the change; kLoad: before
  int64_t change = 0;       // of sp
};

int64_t SignedBits(uint32_t word, int low, int count) {
  const uint32_t bits = word << (32 - low - count);
  return static_cast<int32_t>(bits) >> (32 - count);
}

// stp and ldp of two 64-bit registers, x or d.
bool DecodePair(uint32_t word, Instruction& out) {
  const bool general = word >> 25 == 0x54, vector = word >> 25 == 0x36;
  if (!general && !vector) return false;
  const uint32_t mode = word >> 23 & 3;  // 1: post-indexed, 2: offset, 3: pre-indexed
  const bool load = (word >> 22 & 1) != 0;
  if ((word >> 5 & 31) != kSp || mode == 0) return false;
  out.kind = load ? Instruction::Kind::kLoad : Instruction::Kind::kStore;
  out.has_record = general && (word & 31) == kFp && (word >> 10 & 31) == kLink;
  const int64_t offset = SignedBits(word, 15, 7) * kWord;
  out.bytes = mode == 2 ? offset : 0;
  out.change = mode == 2 ? 0 : offset;
  // The JIT changes sp before a store and after a load.
  return mode == 2 || (mode == 1) == load;
}

// str and ldr of one 64-bit register.
bool DecodeSingle(uint32_t word, Instruction& out) {
  if ((word >> 5 & 31) != kSp) return false;
  const uint32_t no_vector = word & ~(uint32_t{1} << 26);  // x and d alike
  if ((no_vector & 0xff800000) == 0xf9000000) {            // by an unsigned offset
    out.kind = (word >> 22 & 1) != 0 ? Instruction::Kind::kLoad : Instruction::Kind::kStore;
    out.bytes = static_cast<int64_t>(word >> 10 & 0xfff) * kWord;
    return true;
  }
  const bool store = (no_vector & 0xffe00c00) == 0xf8000c00;  // pre-indexed
  const bool load = (no_vector & 0xffe00c00) == 0xf8400400;   // post-indexed
  if (!store && !load) return false;
  out.kind = load ? Instruction::Kind::kLoad : Instruction::Kind::kStore;
  out.change = SignedBits(word, 12, 9);
  return true;
}

// add and sub of a constant, to sp or x29.
bool DecodeSum(uint32_t word, Instruction& out) {
  const bool add = (word & 0xff800000) == 0x91000000, sub = (word & 0xff800000) == 0xd1000000;
  if ((!add && !sub) || (word >> 5 & 31) != kSp) return false;
  int64_t bytes = word >> 10 & 0xfff;
  if ((word >> 22 & 1) != 0) bytes <<= 12;
  if (sub) bytes = -bytes;
  const uint32_t target = word & 31;
  if (target == kSp) {
    out.kind = Instruction::Kind::kAddSp;
    out.change = bytes;
  } else if (target == kFp && bytes >= 0) {
    out.kind = Instruction::Kind::kSetFp;
    out.bytes = bytes;
  } else {
    return false;
  }
  return true;
}

Instruction Decode(uint32_t word) {
  Instruction out;
  if (DecodePair(word, out) || DecodeSingle(word, out) || DecodeSum(word, out)) return out;
  out = {};
  if ((word & 0xfffff01f) == 0xd503201f) {
    out.kind = Instruction::Kind::kHint;
  } else if ((word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000) {
    out.kind = Instruction::Kind::kCall;
  } else if (word == 0xd65f03c0 || word == 0xd65f0bff || word == 0xd65f0fff) {  // ret, retaa, retab
    out.kind = Instruction::Kind::kReturn;
  } else if ((word & 0xfc000000) == 0x14000000) {
    out.kind = Instruction::Kind::kJump;
    out.bytes = SignedBits(word, 0, 26) * static_cast<int64_t>(kInstructionBytes);
  }
  return out;
}

// Empty at the end of the bytes.
std::optional<Instruction> InstructionAt(std::span<const uint8_t> code, size_t at) {
  uint32_t word;
  if (code.size() < at + sizeof(word)) return std::nullopt;
  std::memcpy(&word, code.data() + at, sizeof(word));
  return Decode(word);
}

class Prolog {
 public:
  explicit Prolog(std::span<const uint8_t> code) : code_(code) {}

  PrologRows Read() {
    Row(Kind::kSp);
    bool inside = true;
    while (inside && !framed_ && rows_.count + 1 < PrologRows::kMax) inside = One();
    // The rest of the prolog has an unknown form, or there is none: see CallsNothing.
    if (!framed_ && (words_ != 0 || record_ != 0 || !CallsNothing())) Add({});
    return rows_;
  }

 private:
  using Type = Instruction::Kind;

  bool One() {
    const std::optional<Instruction> next = InstructionAt(code_, at_);
    if (!next) return false;
    switch (next->kind) {
      case Type::kHint:
        break;
      case Type::kStore:
        if (!Lower(next->change) || !Record(*next)) return false;
        break;
      case Type::kAddSp:
        if (!Lower(next->change)) return false;
        break;
      case Type::kSetFp:
        return SetFp(next->bytes);
      default:
        return false;
    }
    at_ += kInstructionBytes;
    Row(Kind::kSp);
    return true;
  }

  bool Lower(int64_t change) {
    if (change > 0 || change % kWord != 0) return false;
    const int64_t words = words_ - change / kWord;
    if (words > UnwindStep::kMaxWords) return false;
    words_ = static_cast<uint32_t>(words);
    return true;
  }

  bool Record(const Instruction& store) {
    if (!store.has_record) return true;
    const int64_t below = words_ - store.bytes / kWord;
    if (record_ != 0 || below < 2 || below > kMaxRecordWords) return false;
    record_ = static_cast<uint32_t>(below);
    return true;
  }

  bool SetFp(int64_t above) {
    if (above % kWord != 0 || above / kWord > words_ || record_ == 0) return false;
    words_ -= static_cast<uint32_t>(above / kWord);
    at_ += kInstructionBytes;
    framed_ = true;
    Row(Kind::kBp);
    return false;
  }

  // Whether it may be a method without a frame: none of its first instructions makes a call or a
  // frame record.
  bool CallsNothing() const {
    for (size_t at = 0; const std::optional<Instruction> next = InstructionAt(code_, at);
         at += kInstructionBytes) {
      if (next->kind == Type::kCall || next->has_record) return false;
    }
    return true;
  }

  void Row(Kind kind) { Add(UnwindStep::Of(kind, words_, record_)); }

  void Add(UnwindStep step) {
    if (rows_.count > 0 && rows_.rows[rows_.count - 1].step == step) return;
    rows_.rows[rows_.count++] = {static_cast<uint32_t>(at_), step};
  }

  const std::span<const uint8_t> code_;
  size_t at_ = 0;
  PrologRows rows_;
  uint32_t words_ = 0;   // from sp, or from x29 once it is set, to the CFA
  uint32_t record_ = 0;  // of the frame record below the CFA; 0: not saved yet
  bool framed_ = false;
};

}  // namespace

PrologRows ReadProlog(std::span<const uint8_t> code) {
  return Prolog(code.first(std::min(code.size(), kPrologBytes))).Read();
}

std::optional<UnwindStep> ReadEpilog(std::span<const uint8_t> bytes, uintptr_t at,
                                     uintptr_t body_start, uintptr_t body_end) {
  using Type = Instruction::Kind;
  const std::span<const uint8_t> code = bytes.first(std::min(bytes.size(), kEpilogBytes));
  int64_t words = 0;              // popped from the stack so far
  std::optional<int64_t> record;  // where it is, from sp
  for (size_t place = 0; const std::optional<Instruction> next = InstructionAt(code, place);
       place += kInstructionBytes) {
    switch (next->kind) {
      case Type::kHint:
        continue;
      case Type::kLoad:
        if (next->has_record) record = words + next->bytes / kWord;
        [[fallthrough]];
      case Type::kAddSp:
        if (next->change < 0 || next->change % kWord != 0) return {};
        words += next->change / kWord;
        if (words > UnwindStep::kMaxWords) return {};
        continue;
      case Type::kJump: {
        const uintptr_t target = at + place + static_cast<uintptr_t>(next->bytes);
        if (target >= body_start && target < body_end) return {};
        break;
      }
      case Type::kReturn:
        break;
      default:
        return {};
    }
    const int64_t below = record ? words - *record : 0;
    if (below < 0 || below > kMaxRecordWords) return {};
    return UnwindStep::Of(Kind::kSp, static_cast<uint32_t>(words), static_cast<uint32_t>(below));
  }
  return {};
}

}  // namespace hindsight::recorder
