#include <ucontext.h>

#include "recorder/stack/signal_walker.h"

namespace hindsight::recorder {

InterruptedAt ReadSignalContext(const void* context) {
  const mcontext_t& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
  return {registers.pc, registers.sp, registers.regs[29], registers.regs[30]};
}

}  // namespace hindsight::recorder
