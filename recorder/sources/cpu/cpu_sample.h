// Takes a CPU sample: from the registers of an interrupted thread to its slot's ring.
#pragma once

#include "recorder/sources/cpu/cpu_slots.h"
#include "recorder/stack/signal_walker.h"

namespace hindsight::recorder {

// In the signal handler: async-signal-safe, bounded. `os_id` is the calling thread; it does nothing
// unless the slot belongs to that thread and sampling is on. `weight`: timer periods.
void TakeSample(CpuSlot& slot, uint32_t os_id, uint32_t weight, const InterruptedAt& at);

}  // namespace hindsight::recorder
