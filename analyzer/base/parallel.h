// Runs work on all processors.
#pragma once

#include <functional>

namespace hindsight::analyzer {

// At least 1; at most 8, however many processors there are.
unsigned WorkerCount();

// Calls `work` with 0 .. WorkerCount() - 1, each on its own thread, and waits for all of them. Then
// rethrows the first exception.
void RunParallel(const std::function<void(unsigned)>& work);

}  // namespace hindsight::analyzer
