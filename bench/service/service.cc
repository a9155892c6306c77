#include "bench/service/service.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/driver/attached.h"
#include "bench/driver/scratch.h"
#include "bench/driver/statistics.h"
#include "bench/driver/target.h"
#include "bench/service/load.h"

namespace hindsight::bench {
namespace {

struct Outcome {
  double rate = 0;  // requests answered per second
  double p99_us = 0;
  double cpu_us = 0;  // of the process, per request
};

Outcome Measure(const Target& target, const Load& load, int milliseconds) {
  const double cpu = CpuSecondsOf(target.pid());
  LoadResult result = load.Run(milliseconds);
  const double used = CpuSecondsOf(target.pid()) - cpu;
  auto& latencies = result.latencies_us;
  if (latencies.empty()) throw std::runtime_error("the service answered nothing");
  const auto count = static_cast<double>(latencies.size());
  const auto p99 = latencies.begin() + static_cast<ptrdiff_t>(0.99 * (count - 1));
  std::nth_element(latencies.begin(), p99, latencies.end());
  return {.rate = count / result.seconds, .p99_us = *p99, .cpu_us = used * 1e6 / count};
}

Outcome Bare(const Target& target, const Load& load, int milliseconds) {
  load.Run(milliseconds / 4);
  return Measure(target, load, milliseconds);
}

Outcome Recorded(const Target& target, const Load& load, int milliseconds) {
  const Scratch scratch;
  const Attached attached(target.pid(), scratch.path(), {});
  load.Run(milliseconds / 4);  // first events of each kind
  return Measure(target, load, milliseconds);
}

std::vector<std::string> Requests() {
  const std::string end = " HTTP/1.1\r\nHost: localhost\r\n";
  const std::string order =
      R"({"customer":"customer 1","lines":[{"product":"product 1","pieces":2}]})";
  std::vector<std::string> requests;
  for (int i = 0; i < 17; ++i) {  // not a multiple of the connections: each one requests everything
    requests.push_back("GET /orders/" + std::to_string(i * 101) + end + "\r\n");
  }
  requests.push_back("GET /busiest" + end + "\r\n");
  requests.push_back("POST /orders" + end + "Content-Type: application/json\r\nContent-Length: " +
                     std::to_string(order.size()) + "\r\n\r\n" + order);
  return requests;
}

std::vector<double> Values(const std::vector<Outcome>& outcomes, double Outcome::*value) {
  std::vector<double> values;
  for (const Outcome& outcome : outcomes) values.push_back(outcome.*value);
  return values;
}

}  // namespace

void MeasureService(const ServiceSettings& settings) {
  Target target({HINDSIGHT_DOTNET, HINDSIGHT_SERVICE});
  Load load;
  load.port = static_cast<uint16_t>(std::stoi(target.Ask("port")));
  load.rate = settings.rate;
  load.requests = Requests();
  load.Run(settings.warm_up_ms);  // let tiered compilation settle
  std::vector<Outcome> bare, recorded;
  for (int round = 1; round <= settings.rounds; ++round) {
    std::fprintf(stderr, "round %d of %d\n", round, settings.rounds);
    // Each one goes first in every second round, so that drift affects both.
    if (round % 2 == 0) recorded.push_back(Recorded(target, load, settings.milliseconds));
    bare.push_back(Bare(target, load, settings.milliseconds));
    if (round % 2 != 0) recorded.push_back(Recorded(target, load, settings.milliseconds));
  }
  std::printf(
      "Kestrel, JSON and EF Core on SQLite, %d requests/s, all default sources, %d rounds:\n"
      "median (smallest to largest)\n%-24s%-28s%-28s%s\n",
      settings.rate, settings.rounds, "", "bare", "recorded by bare", "wanted");
  const auto row = [&](const char* name, double Outcome::*value, int decimals, const char* wanted) {
    std::vector<double> ratios;
    for (size_t i = 0; i < bare.size(); ++i) {
      ratios.push_back(recorded[i].*value / (bare[i].*value));
    }
    std::printf("%-24s%-28s%-28s%s\n", name, Summary(Values(bare, value), decimals).c_str(),
                Summary(ratios, 3).c_str(), wanted);
  };
  row("requests/s", &Outcome::rate, 1, ">= 0.99");
  row("99th percentile, us", &Outcome::p99_us, 0, "<= 1.03");
  row("CPU time a request, us", &Outcome::cpu_us, 1, "<= 1.01");
}

}  // namespace hindsight::bench
