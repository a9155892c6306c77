// Cost of recording to a web server: requests per second and CPU time per request, bare, with only
// the source `requests`, with the recorder's default sources, and with an EventPipe session on the
// same events; alternating in one process, which includes the clients.
#pragma once

namespace hindsight::bench {

struct RequestSettings {
  int rounds = 15;
  int milliseconds = 2000;  // of each measurement
};

// Prints a table. Throws std::runtime_error.
void MeasureRequests(const RequestSettings& settings);

}  // namespace hindsight::bench
