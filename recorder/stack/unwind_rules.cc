#include "recorder/stack/unwind_rules.h"

namespace hindsight::recorder {

void UnwindRules::Forget() {
  for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
}

}  // namespace hindsight::recorder
