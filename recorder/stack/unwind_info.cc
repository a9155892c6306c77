#include "recorder/stack/unwind_info.h"

#include <cstring>

namespace hindsight::recorder {
namespace {

using Operation = PrologOperation;
using Kind = Operation::Kind;

constexpr uintptr_t kWord = sizeof(uintptr_t);
constexpr uint8_t kContinuesAnother = 4;  // UNW_FLAG_CHAININFO

// UNWIND_CODE: the instruction's end, an operation and its operand; further slots hold numbers.
enum Code : uint8_t {
  kPushNonvolatile = 0,
  kAllocLarge = 1,
  kAllocSmall = 2,
  kSetFrame = 3,
  kSaveNonvolatile = 4,
  kSaveNonvolatileFar = 5,
  kEpilog = 6,  // of version 2, in pairs: where epilogs are, which their instructions tell, too
  kSpare = 7,
  kSaveXmm = 8,
  kSaveXmmFar = 9,
  kMachineFrame = 10,
};

// The slots of codes, from the first.
class Codes {
 public:
  explicit Codes(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.size() < 2; }
  uint16_t Next() {
    if (empty()) return Missing();
    uint16_t slot;
    std::memcpy(&slot, bytes_.data(), sizeof(slot));
    bytes_ = bytes_.subspan(sizeof(slot));
    return slot;
  }
  uint32_t NextTwo() {
    const uint32_t low = Next();
    return low | uint32_t{Next()} << 16;
  }
  bool complete() const { return complete_; }

 private:
  uint16_t Missing() {
    complete_ = false;
    return 0;
  }

  std::span<const uint8_t> bytes_;
  bool complete_ = true;
};

bool AddCode(Codes& codes, bool is_of_another, UnwindFunction& out) {
  const uint16_t slot = codes.Next();
  // What another function's prolog has done was done before this one began.
  const auto end = static_cast<uint8_t>(is_of_another ? 0 : slot & 0xff);
  const auto operand = static_cast<uint8_t>(slot >> 12);
  const auto add = [&](Kind kind, uint8_t reg, uint32_t bytes) {
    out.operations.push_back({kind, end, reg, bytes});
  };
  switch (slot >> 8 & 0xf) {
    case kPushNonvolatile:
      add(Kind::kPush, operand, 0);
      return true;
    case kAllocLarge:
      if (operand > 1) return false;
      add(Kind::kAllocate, 0, operand == 0 ? codes.Next() * 8u : codes.NextTwo());
      return codes.complete();
    case kAllocSmall:
      add(Kind::kAllocate, 0, operand * 8u + 8);
      return true;
    case kSetFrame:
      add(Kind::kFrame, 0, 0);
      return out.frame_register != 0;
    case kSaveNonvolatile:
      add(Kind::kSave, operand, codes.Next() * 8u);
      return codes.complete();
    case kSaveNonvolatileFar:
      add(Kind::kSave, operand, codes.NextTwo());
      return codes.complete();
    case kEpilog:
    case kSaveXmm:
      codes.Next();
      return codes.complete();
    case kSpare:
    case kSaveXmmFar:
      codes.NextTwo();
      return codes.complete();
    case kMachineFrame:
      add(Kind::kTrap, 0, operand != 0 ? kWord : 0);
      return true;
    default:
      return false;
  }
}

// Instructions, from the one that was interrupted.
class Instructions {
 public:
  explicit Instructions(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }
  uint8_t Peek(size_t i = 0) const { return at_ + i < bytes_.size() ? bytes_[at_ + i] : 0; }
  void Skip(size_t count) { at_ += count; }
  bool Has(size_t count) const { return at_ + count <= bytes_.size(); }

  int64_t Number8(size_t i) const { return static_cast<int8_t>(Peek(i)); }
  int64_t Number32(size_t i) const {
    int32_t number = 0;
    if (Has(i + sizeof(number))) std::memcpy(&number, &bytes_[at_ + i], sizeof(number));
    return number;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

// An epilog has one of few forms: it moves sp, by a number or to a place relative to the frame
// register, pops registers, and returns or jumps to another function. Its rest is carried out.
class Epilog {
 public:
  Epilog(const UnwindFunction& function, std::span<const uint8_t> code, const CopiedStack& stack,
         const X64Registers& registers)
      : function_(function), code_(code), stack_(stack), left_(registers) {}

  // Empty: the instruction is in no epilog.
  std::optional<X64Registers> Leave() {
    constexpr int kMaxPops = 9;
    SkipVectorReset();
    const uintptr_t before = left_.sp();
    MoveStackPointer();
    SkipVectorReset();
    for (int i = 0; i < kMaxPops; ++i) {
      uint8_t reg = 0;
      if (!TakePop(reg)) break;
      if (!Pop(left_.general[reg])) return {};
    }
    has_left_frame_ = left_.sp() != before;
    if (!Leaves() || !Pop(left_.ip)) return {};
    return left_;
  }

 private:
  bool Pop(uintptr_t& word) {
    if (!stack_.Read(left_.sp(), word)) return false;
    left_.sp() += kWord;
    return true;
  }

  void SkipVectorReset() {
    if (code_.Peek() == 0xc5 && code_.Peek(1) == 0xf8 && code_.Peek(2) == 0x77) code_.Skip(3);
  }

  void MoveStackPointer() {
    const uint8_t rex = code_.Peek(), opcode = code_.Peek(1), mod_rm = code_.Peek(2);
    if (rex == 0x48 && mod_rm == 0xc4 && (opcode == 0x83 || opcode == 0x81)) {  // add rsp, N
      const bool is_short = opcode == 0x83;
      left_.sp() += static_cast<uintptr_t>(is_short ? code_.Number8(3) : code_.Number32(3));
      code_.Skip(is_short ? 4 : 7);
      return;
    }
    // lea rsp, [frame register + N]
    const uint8_t reg = static_cast<uint8_t>((mod_rm & 7) | (rex == 0x49 ? 8 : 0));
    const uint8_t form = mod_rm >> 3;
    if ((rex != 0x48 && rex != 0x49) || opcode != 0x8d || reg != function_.frame_register ||
        reg == 0 || (mod_rm & 7) == 4 || (form != 0x0c && form != 0x14)) {
      return;
    }
    const bool is_short = form == 0x0c;
    left_.sp() = left_.general[reg] +
                 static_cast<uintptr_t>(is_short ? code_.Number8(3) : code_.Number32(3));
    code_.Skip(is_short ? 4 : 7);
  }

  bool TakePop(uint8_t& reg) {
    const bool extended = code_.Peek() == 0x41;
    const uint8_t opcode = code_.Peek(extended ? 1 : 0);
    if ((opcode & 0xf8) != 0x58) return false;
    reg = static_cast<uint8_t>((opcode & 7) | (extended ? 8 : 0));
    code_.Skip(extended ? 2 : 1);
    return true;
  }

  bool Leaves() const {
    const uint8_t first = code_.Peek(), second = code_.Peek(1), third = code_.Peek(2);
    if (first == 0xc3 || (first == 0xf3 && second == 0xc3)) return true;  // ret
    if (first == 0x48 && second == 0xff) {  // jmp, as only epilogs have it
      return third == 0x25 || (third & 0xf8) == 0xe0;
    }
    // To another function. If nothing has been undone, it may be to another part of this one.
    if (!has_left_frame_ || (first != 0xe9 && first != 0xeb)) return false;
    const bool is_short = first == 0xeb;
    if (!code_.Has(is_short ? 2 : 5)) return false;
    const uintptr_t next = left_.ip + code_.at() + (is_short ? 2 : 5);
    const uintptr_t target =
        next + static_cast<uintptr_t>(is_short ? code_.Number8(1) : code_.Number32(1));
    return target < function_.start || target >= function_.end;
  }

  const UnwindFunction& function_;
  Instructions code_;
  const CopiedStack& stack_;
  X64Registers left_;
  bool has_left_frame_ = false;
};

bool Undo(const Operation& operation, const UnwindFunction& function, uintptr_t base,
          const CopiedStack& stack, X64Registers& registers) {
  switch (operation.kind) {
    case Kind::kPush:
      if (!stack.Read(registers.sp(), registers.general[operation.reg])) return false;
      registers.sp() += kWord;
      return true;
    case Kind::kAllocate:
      registers.sp() += operation.bytes;
      return true;
    case Kind::kFrame:
      registers.sp() = registers.general[function.frame_register] - function.frame_bytes;
      return true;
    case Kind::kSave:
      return stack.Read(base + operation.bytes, registers.general[operation.reg]);
    case Kind::kTrap: {
      const uintptr_t frame = registers.sp() + operation.bytes;
      return stack.Read(frame, registers.ip) && stack.Read(frame + 3 * kWord, registers.sp());
    }
  }
  return false;
}

}  // namespace

size_t UnwindInfoBytes(std::span<const uint8_t, kUnwindHeaderBytes> header) {
  const size_t codes = (size_t{header[2]} + 1) & ~size_t{1};
  return kUnwindHeaderBytes + 2 * codes +
         ((header[0] >> 3 & kContinuesAnother) != 0 ? sizeof(FunctionEntry) : 0);
}

bool AddUnwindInfo(std::span<const uint8_t> info, bool is_of_another, UnwindFunction& out,
                   std::optional<FunctionEntry>& continued) {
  continued.reset();
  if (info.size() < kUnwindHeaderBytes) return false;
  const std::span<const uint8_t, kUnwindHeaderBytes> header(info.first<kUnwindHeaderBytes>());
  const int version = header[0] & 7;
  if ((version != 1 && version != 2) || info.size() < UnwindInfoBytes(header)) return false;
  out.frame_register = header[3] & 0xf;
  out.frame_bytes = (header[3] >> 4) * 16u;
  Codes codes(info.subspan(kUnwindHeaderBytes, size_t{header[2]} * 2));
  while (!codes.empty()) {
    if (!AddCode(codes, is_of_another, out)) return false;
  }
  if ((header[0] >> 3 & kContinuesAnother) != 0) {
    std::memcpy(&continued.emplace(), info.data() + UnwindInfoBytes(header) - sizeof(FunctionEntry),
                sizeof(FunctionEntry));
  }
  return true;
}

bool StepToCaller(const UnwindFunction& function, std::span<const uint8_t> code,
                  const CopiedStack& stack, X64Registers& registers, bool& interrupted) {
  interrupted = false;
  const uintptr_t before = registers.sp();
  if (!code.empty()) {
    if (const auto left = Epilog(function, code, stack, registers).Leave()) {
      registers = *left;
      return registers.sp() > before;
    }
  }
  const uintptr_t offset = registers.ip - function.start;
  const auto is_done = [&](const Operation& operation) { return operation.end <= offset; };
  uintptr_t base = registers.sp();
  for (const Operation& operation : function.operations) {
    if (operation.kind == Kind::kFrame && is_done(operation)) {
      base = registers.general[function.frame_register] - function.frame_bytes;
    }
  }
  for (const Operation& operation : function.operations) {
    if (!is_done(operation)) continue;
    if (!Undo(operation, function, base, stack, registers)) return false;
    if (operation.kind == Kind::kTrap) {
      interrupted = true;
      return registers.sp() > before;
    }
  }
  return StepFromLeaf(stack, registers) && registers.sp() > before;
}

bool StepFromLeaf(const CopiedStack& stack, X64Registers& registers) {
  if (!stack.Read(registers.sp(), registers.ip)) return false;
  registers.sp() += kWord;
  return true;
}

}  // namespace hindsight::recorder
