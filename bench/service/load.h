// A load generator: HTTP/1.1 requests at a fixed rate over a few connections to a local port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight::bench {

struct LoadResult {
  double seconds = 0;
  std::vector<double> latencies_us;  // one per request answered with 200
};

struct Load {
  uint16_t port = 0;
  int connections = 8;
  int rate = 400;                     // requests per second, over all connections
  std::vector<std::string> requests;  // complete; used in turn

  // Each request is due at a fixed time, whether or not the previous one was answered by then; its
  // latency counts from that time, so that a pause affects every request that it would have
  // delayed. Throws std::runtime_error for any response but 200.
  LoadResult Run(int milliseconds) const;
};

}  // namespace hindsight::bench
