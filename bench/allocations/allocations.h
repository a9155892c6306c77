// Cost of the source `allocations` to a thread that does little but allocate; bare and recorded
// alternate in one process.
#pragma once

namespace hindsight::bench {

struct AllocationSettings {
  int rounds = 15;
  int milliseconds = 2000;  // of each measurement
};

// Prints a table. Throws std::runtime_error.
void MeasureAllocations(const AllocationSettings& settings);

}  // namespace hindsight::bench
