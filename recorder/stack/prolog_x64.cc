// The prologs and epilogs that the JIT generates on x64: it gives a method a frame pointer unless
// it is small, and pushes, moves and adds (dotnet/runtime, src/coreclr/jit/codegencommon.cpp and
// codegenxarch.cpp: genFnProlog, genFnEpilog).
#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "recorder/stack/prolog.h"

namespace hindsight::recorder {
namespace {

using Kind = UnwindStep::Kind;

constexpr uint8_t kRbp = 5;  // in the encoding of instructions
constexpr int64_t kWord = 8;

// Bytes of code, which may be incomplete.
class Code {
 public:
  explicit Code(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }
  void Skip(size_t size) { at_ += size; }

  bool Is(std::initializer_list<uint8_t> pattern) const {
    return bytes_.size() - at_ >= pattern.size() &&
           std::equal(pattern.begin(), pattern.end(), bytes_.begin() + static_cast<long>(at_));
  }
  // Matches the pattern and a number after it; moves past both.
  template <typename T>
  bool Take(std::initializer_list<uint8_t> pattern, int64_t& number) {
    if (!Is(pattern) || bytes_.size() - at_ < pattern.size() + sizeof(T)) return false;
    T value;
    std::memcpy(&value, bytes_.data() + at_ + pattern.size(), sizeof(T));
    number = value;
    at_ += pattern.size() + sizeof(T);
    return true;
  }
  bool Take(std::initializer_list<uint8_t> pattern) {
    if (!Is(pattern)) return false;
    at_ += pattern.size();
    return true;
  }
  // push (0x50) or pop (0x58) of any register.
  bool TakeStackOperation(uint8_t opcode, uint8_t& reg) {
    const size_t left = bytes_.size() - at_;
    const bool extended = left >= 2 && bytes_[at_] == 0x41;
    if (left < (extended ? 2 : 1)) return false;
    const uint8_t byte = bytes_[at_ + (extended ? 1 : 0)];
    if ((byte & 0xf8) != opcode) return false;
    reg = static_cast<uint8_t>((byte & 7) | (extended ? 8 : 0));
    at_ += extended ? 2 : 1;
    return true;
  }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

class Prolog {
 public:
  explicit Prolog(std::span<const uint8_t> code) : code_(code) {}

  PrologRows Read() {
    Row(Kind::kSp);
    while (rows_.count < PrologRows::kMax && !framed_ && One()) {
    }
    return rows_;
  }

 private:
  bool One() {
    uint8_t reg = 0;
    int64_t number = 0;
    // A body that replaces a running one (on-stack replacement) begins with a push of the bp that
    // the replaced one had saved: mov rax, [rbp]; push rax.
    if (code_.at() == 0 && code_.Take({0x48, 0x8b, 0x45, 0x00, 0x50})) {
      replaces_ = true;
      return Pushed(kRbp);
    }
    if (replaces_ && TakeStore()) return true;
    if (code_.TakeStackOperation(0x50, reg)) return Pushed(reg);
    if (code_.Take<int8_t>({0x48, 0x83, 0xec}, number) ||  // sub rsp, N
        code_.Take<int32_t>({0x48, 0x81, 0xec}, number)) {
      return Lowered(number);
    }
    if (code_.Take({0xc5, 0xf8, 0x77})) return true;  // vzeroupper
    if (code_.Take({0x48, 0x8b, 0xec}) || code_.Take({0x48, 0x89, 0xe5})) return Framed(0);
    if (code_.Take<int8_t>({0x48, 0x8d, 0x6c, 0x24}, number) ||  // lea rbp, [rsp + N]
        code_.Take<int32_t>({0x48, 0x8d, 0xac, 0x24}, number)) {
      return Framed(number);
    }
    // Frames larger than a page are probed first: one page after the other, or by a helper that
    // gets the new rsp in r11.
    if (code_.Take<int32_t>({0x85, 0x84, 0x24}, number)) return true;  // test [rsp - N], eax
    if (code_.Take<int32_t>({0x48, 0x85, 0x84, 0x24}, number)) return true;
    if (code_.Take<int32_t>({0x4c, 0x8d, 0x9c, 0x24}, number)) {  // lea r11, [rsp - N]
      const int64_t lowered = -number;
      if (!code_.Take<int32_t>({0xe8}, number) && !code_.Take<int32_t>({0xff, 0x15}, number)) {
        return false;
      }
      return code_.Take({0x49, 0x8b, 0xe3}) && Lowered(lowered);  // mov rsp, r11
    }
    return false;
  }

  // Such a body saves registers in the frame of the replaced one: mov [rsp + N], reg.
  bool TakeStore() {
    int64_t number = 0;
    for (const uint8_t rex : {0x48, 0x4c}) {
      for (uint8_t reg = 0; reg < 8; ++reg) {
        const auto mod_rm = static_cast<uint8_t>(0x44 | reg << 3);
        if (code_.Take<int8_t>({rex, 0x89, mod_rm, 0x24}, number) ||
            code_.Take<int32_t>({rex, 0x89, static_cast<uint8_t>(mod_rm + 0x40), 0x24}, number)) {
          return true;
        }
      }
    }
    return false;
  }

  bool Pushed(uint8_t reg) {
    ++words_;
    if (reg == kRbp && bp_words_ == 0) bp_words_ = words_;
    return Row(Kind::kSp);
  }

  bool Lowered(int64_t bytes) {
    if (bytes <= 0 || bytes % kWord != 0 || bytes / kWord > UnwindStep::kMaxWords) return false;
    words_ += static_cast<uint32_t>(bytes / kWord);
    return Row(Kind::kSp);
  }

  // rbp becomes rsp + `above`.
  bool Framed(int64_t above) {
    if (above < 0 || above % kWord != 0 || above / kWord >= words_ || bp_words_ == 0) return false;
    words_ -= static_cast<uint32_t>(above / kWord);
    framed_ = true;
    return Row(replaces_ ? Kind::kOsr : Kind::kBp);
  }

  bool Row(Kind kind) {
    rows_.rows[rows_.count++] = {static_cast<uint32_t>(code_.at()),
                                 UnwindStep::Of(kind, words_, bp_words_)};
    return true;
  }

  Code code_;
  PrologRows rows_;
  uint32_t words_ = 1;  // from rsp, or from rbp once framed, to the CFA: the return address
  uint32_t bp_words_ = 0;
  bool framed_ = false;
  bool replaces_ = false;
};

}  // namespace

PrologRows ReadProlog(std::span<const uint8_t> code) {
  return Prolog(code.first(std::min(code.size(), kPrologBytes))).Read();
}

std::optional<UnwindStep> ReadEpilog(std::span<const uint8_t> bytes, uintptr_t at,
                                     uintptr_t body_start, uintptr_t body_end) {
  constexpr int kMaxInstructions = 12;
  Code code(bytes.first(std::min(bytes.size(), kEpilogBytes)));
  uint32_t words = 0;    // popped from the stack
  uint32_t bp_word = 0;  // which of them rbp is, from 1
  bool popped = false;
  for (int i = 0; i < kMaxInstructions; ++i) {
    uint8_t reg = 0;
    int64_t number = 0;
    if (code.Take({0xc5, 0xf8, 0x77})) continue;          // vzeroupper
    if (code.Take<int8_t>({0x48, 0x83, 0xc4}, number) ||  // add rsp, N
        code.Take<int32_t>({0x48, 0x81, 0xc4}, number)) {
      if (number <= 0 || number % kWord != 0 || number / kWord > UnwindStep::kMaxWords) return {};
      words += static_cast<uint32_t>(number / kWord);
      continue;
    }
    if (code.TakeStackOperation(0x58, reg)) {
      ++words;
      if (reg == kRbp) bp_word = words;
      popped = true;
      continue;
    }
    // ret, or a tail call: through a register or memory with a REX prefix that only epilogs have,
    // or a direct jump to elsewhere.
    bool leaves = code.Is({0xc3}) || code.Is({0xf3, 0xc3}) || code.Is({0x48, 0xff, 0xe0}) ||
                  code.Is({0x48, 0xff, 0x25}) || (popped && code.Is({0xff, 0x25}));
    if (!leaves && code.Take<int32_t>({0xe9}, number)) {
      const uintptr_t target = at + code.at() + static_cast<uintptr_t>(number);
      leaves = target < body_start || target >= body_end;
    }
    if (!leaves) return {};
    const uint32_t cfa = words + 1;
    return UnwindStep::Of(Kind::kSp, cfa, bp_word == 0 ? 0 : cfa - bp_word + 1);
  }
  return {};
}

}  // namespace hindsight::recorder
