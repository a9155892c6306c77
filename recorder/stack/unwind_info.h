// The step from a function to its caller on Windows for x64, by the function's unwind information.
// That describes the prolog (learn.microsoft.com/cpp/build/exception-handling-x64), and comes with
// the code of every library, precompiled or not, and with what the JIT writes.
//
// It may have been read from memory that is something else by now, so nothing of it is trusted:
// what is wrong leads to a wrong caller or to none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "recorder/stack/copied_stack.h"

namespace hindsight::recorder {

// Of a thread where it was interrupted, or of a frame of it at the return from a call.
struct X64Registers {
  uintptr_t ip = 0;
  std::array<uintptr_t, 16> general = {};  // in the order of the processor's encoding

  uintptr_t& sp() { return general[4]; }
  uintptr_t sp() const { return general[4]; }
};

// What an instruction of a prolog has done, and how it is undone.
struct PrologOperation {
  enum class Kind : uint8_t {
    kPush,      // general[reg] was pushed
    kAllocate,  // sp was lowered by `bytes`
    kFrame,     // the frame register was set
    kSave,      // general[reg] was stored `bytes` above the frame's base
    kTrap,      // the system pushed sp and ip, `bytes` above: the frame of an exception
  };
  Kind kind;
  uint8_t end;  // offset of the next instruction; 0: from the first one on
  uint8_t reg = 0;
  uint32_t bytes = 0;
};

struct UnwindFunction {
  uintptr_t start = 0, end = 0;
  uint8_t frame_register = 0;               // 0: none, the frame's base is sp
  uint32_t frame_bytes = 0;                 // the register is so far above the base
  std::vector<PrologOperation> operations;  // the last instruction first
};

// Of all UNWIND_INFOs the first bytes, which say how long it is, with what follows its codes.
inline constexpr size_t kUnwindHeaderBytes = 4;
inline constexpr size_t kMaxUnwindInfoBytes = kUnwindHeaderBytes + 2 * 256 + 12;
size_t UnwindInfoBytes(std::span<const uint8_t, kUnwindHeaderBytes> header);

// An entry of a table of functions, with offsets from the base of an image or heap.
struct FunctionEntry {
  uint32_t start = 0, end = 0;
  uint32_t unwind = 0;  // of its UNWIND_INFO; if odd, one more than that of another entry
};

// Adds the operations of an UNWIND_INFO. A function can be in parts, each of which continues the
// prolog of another one: `continued` gets its entry then, whose information has to be added, too,
// with `is_of_another`. False: it is none that is known.
bool AddUnwindInfo(std::span<const uint8_t> info, bool is_of_another, UnwindFunction& out,
                   std::optional<FunctionEntry>& continued);

// Replaces the registers by those of the caller. `code`: the bytes at the instruction, where that
// has been interrupted; empty at a return address. `interrupted`: whether the caller has been, too.
// False: the stack does not have it; the registers may be wrong then.
bool StepToCaller(const UnwindFunction& function, std::span<const uint8_t> code,
                  const CopiedStack& stack, X64Registers& registers, bool& interrupted);
// The same from a function that has no unwind information, since it keeps nothing on the stack.
bool StepFromLeaf(const CopiedStack& stack, X64Registers& registers);

}  // namespace hindsight::recorder
