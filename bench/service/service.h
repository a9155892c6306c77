// What the default sources cost a service under steady load: throughput, the 99th percentile of
// latencies, and CPU time a request; bare and recorded in turns, on one process that serves all the
// time.
#pragma once

namespace hindsight::bench {

struct ServiceSettings {
  int rounds = 10;
  int milliseconds = 8000;  // of each measurement
  int warm_up_ms = 30'000;
  int rate = 150;  // requests a second
};

// Prints a table. Throws std::runtime_error.
void MeasureService(const ServiceSettings& settings);

}  // namespace hindsight::bench
