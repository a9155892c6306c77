// What recording costs a web server: requests a second and CPU time a request, bare, with the
// source `requests` alone, with the recorder's default sources, and with an EventPipe session on
// the same events; in turns on one process, whose clients are inside it.
#pragma once

namespace hindsight::bench {

struct RequestSettings {
  int rounds = 15;
  int milliseconds = 2000;  // of each measurement
};

// Prints a table. Throws std::runtime_error.
void MeasureRequests(const RequestSettings& settings);

}  // namespace hindsight::bench
