#include "recorder/stack/signal_walker.h"

namespace hindsight::recorder {
namespace {

uintptr_t LoadWord(uintptr_t address) { return *reinterpret_cast<const uintptr_t*>(address); }

// Whether two words can be read at `address`, on the stack and not below `low`.
bool OnStack(uintptr_t address, uintptr_t low, uintptr_t high) {
  return address >= low && address % sizeof(uintptr_t) == 0 && address < high &&
         high - address >= 2 * sizeof(uintptr_t);
}

}  // namespace

bool SignalWalker::Open(MemoryBudget&) { return true; }

void SignalWalker::Close(MemoryBudget&) {}

SignalStack SignalWalker::Walk(InterruptedAt at, uintptr_t stack_high,
                               std::span<uintptr_t> out) const {
  walks_.fetch_add(1);
  SignalStack stack;
  while (true) {
    if (at.ip == 0) {
      stack.rooted = true;
      break;
    }
    if (stack.frames == out.size()) {
      stack.truncated = true;
      break;
    }
    out[stack.frames++] = at.ip;
    if (at.bp == 0) {
      stack.rooted = true;
      break;
    }
    if (!OnStack(at.bp, at.sp, stack_high)) break;
    at = {LoadWord(at.bp + sizeof(uintptr_t)), at.bp + 2 * sizeof(uintptr_t), LoadWord(at.bp)};
  }
  walks_.fetch_sub(1);
  return stack;
}

void SignalWalker::Meet(clr::ICorProfilerInfo10*, std::span<const uintptr_t>) {}

void SignalWalker::RefreshNativeModules() {}

void SignalWalker::Forget() {}

}  // namespace hindsight::recorder
