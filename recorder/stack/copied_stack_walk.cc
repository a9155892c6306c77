#include "recorder/stack/copied_stack_walk.h"

namespace hindsight::recorder {

CopiedWalk WalkCopiedStack(X64Registers registers, std::span<const uint8_t> code,
                           const CopiedStack& stack, uint64_t as_of_ns, FunctionFinder& functions,
                           std::span<uintptr_t> out) {
  CopiedWalk walked;
  bool interrupted = true;  // registers.ip is an instruction, not a return address
  while (walked.frames < out.size()) {
    out[walked.frames++] = registers.ip;
    const UnwindFunction* function = nullptr;
    switch (functions.Find(registers.ip - (interrupted ? 0 : 1), as_of_ns, function)) {
      case FunctionFinder::Found::kFunction:
        if (!StepToCaller(*function, code, stack, registers, interrupted)) return walked;
        break;
      case FunctionFinder::Found::kNoInformation:
        // What has called something keeps at least a return address.
        if (!interrupted || !StepFromLeaf(stack, registers)) return walked;
        interrupted = false;
        break;
      case FunctionFinder::Found::kUnknown:
        return walked;
    }
    code = {};
    if (registers.ip == 0) {
      walked.rooted = true;
      return walked;
    }
  }
  return walked;
}

}  // namespace hindsight::recorder
