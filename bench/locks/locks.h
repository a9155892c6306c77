// Cost of recording waits for locks: bare, with the recorder attached, and under an EventPipe
// session on the contention keyword, alternating in one process.
#pragma once

namespace hindsight::bench {

struct LockSettings {
  int rounds = 9;
  int milliseconds = 1500;  // of each measurement
};

// Prints a table. Throws std::runtime_error.
void MeasureLocks(const LockSettings& settings);

}  // namespace hindsight::bench
