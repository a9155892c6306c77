// Cost of the default sources to a service under steady load: throughput, 99th percentile latency,
// and CPU time per request; bare and recorded alternate in one process that serves requests all the
// time.
#pragma once

namespace hindsight::bench {

struct ServiceSettings {
  int rounds = 10;
  int milliseconds = 8000;  // of each measurement
  int warm_up_ms = 30'000;
  int rate = 150;  // requests per second
};

// Prints a table. Throws std::runtime_error.
void MeasureService(const ServiceSettings& settings);

}  // namespace hindsight::bench
