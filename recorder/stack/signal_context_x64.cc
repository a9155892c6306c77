#include <ucontext.h>

#include "recorder/stack/signal_walker.h"

namespace hindsight::recorder {

InterruptedAt ReadSignalContext(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return {static_cast<uintptr_t>(registers[REG_RIP]), static_cast<uintptr_t>(registers[REG_RSP]),
          static_cast<uintptr_t>(registers[REG_RBP])};
}

}  // namespace hindsight::recorder
