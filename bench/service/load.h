// A load generator: HTTP/1.1 requests at a fixed rate over a few connections to a local port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::bench {

struct LoadResult {
  double seconds = 0;
  std::vector<double> latencies_us;  // one a request that was answered with 200
};

struct Load {
  uint16_t port = 0;
  int connections = 8;
  int rate = 400;                     // requests a second, all connections together
  std::vector<std::string> requests;  // complete; taken in turns

  // Each request has its time by the clock, whether or not the one before was answered by then; its
  // latency counts from that time, so that a pause is felt by all whom it would have kept waiting.
  // Throws std::runtime_error on anything but an answer 200.
  LoadResult Run(int milliseconds) const;
};

}  // namespace hindsight::bench
