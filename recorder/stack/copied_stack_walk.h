// The call stack of a thread on Windows for x64, from a copy of its registers and its stack: the
// thread runs on meanwhile.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/stack/copied_stack.h"
#include "recorder/stack/unwind_info.h"

namespace hindsight::recorder {

// Knows the functions of the process.
class FunctionFinder {
 public:
  enum class Found : uint8_t {
    kFunction,
    kNoInformation,  // code without unwind information, or no code
    kUnknown,        // code that may have been unloaded since
  };
  // The function of an instruction that was on a stack at `as_of_ns`. `out` is valid until the next
  // call.
  virtual Found Find(uintptr_t instruction, uint64_t as_of_ns, const UnwindFunction*& out) = 0;

 protected:
  ~FunctionFinder() = default;
};

struct CopiedWalk {
  uint32_t frames = 0;  // written to `out`
  bool rooted = false;  // the walk reached the thread's first frame
};

// `registers`, `code` (the bytes at the instruction) and `stack` are those of `as_of_ns`. `out`
// gets the instruction, then return addresses, innermost first.
CopiedWalk WalkCopiedStack(X64Registers registers, std::span<const uint8_t> code,
                           const CopiedStack& stack, uint64_t as_of_ns, FunctionFinder& functions,
                           std::span<uintptr_t> out);

}  // namespace hindsight::recorder
