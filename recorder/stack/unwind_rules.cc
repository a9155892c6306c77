#include "recorder/stack/unwind_rules.h"

namespace hindsight::recorder {

void UnwindRules::Forget() {
  for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
}

void UnwindRules::Forget(uintptr_t start, uint32_t size) {
  if (size >= kEntries) return Forget();
  for (uintptr_t ip = start; ip - start <= size; ++ip) {  // a return address may be just past the
                                                          // end
    std::atomic<uint64_t>& entry = entries_[Index(ip)];
    uint64_t rule = entry.load(std::memory_order_relaxed);
    if (rule >> kRuleBits == (ip & kIpMask)) {
      entry.compare_exchange_strong(rule, 0, std::memory_order_relaxed);
    }
  }
}

}  // namespace hindsight::recorder
