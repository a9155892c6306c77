// Runs work on all processors.
#pragma once

#include <functional>

namespace hindsight::analyzer {

// At least 1; at most 8, however many processors there are.
unsigned WorkerCount();

// Calls `work` with 0 .. WorkerCount() - 1, each on a thread of its own, and waits for all.
// Rethrows the first exception after that.
void RunParallel(const std::function<void(unsigned)>& work);

}  // namespace hindsight::analyzer
