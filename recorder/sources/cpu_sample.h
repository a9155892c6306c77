// A CPU sample: from the registers of an interrupted thread into its slot's ring.
#pragma once

#include "recorder/sources/cpu_slots.h"
#include "recorder/stack/signal_walker.h"

namespace hindsight::recorder {

// In the signal handler: async-signal-safe, bounded. `os_id` is the calling thread's; nothing
// happens unless the slot is that thread's and sampling is on. `weight`: timer periods.
void TakeSample(CpuSlot& slot, uint32_t os_id, uint32_t weight, const InterruptedAt& at);

}  // namespace hindsight::recorder
