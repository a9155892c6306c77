// Requests that end with an exception of one type in one route's code. A server that does not
// answer makes calls fail in several places, depending on how far they have come: that is one
// failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/analyses/requests.h"

namespace hindsight::analyzer {

struct FailedRequests {
  std::vector<size_t> findings;  // by index in the report; most requests first
  uint64_t count = 0;            // requests
  MethodId handler = 0;          // of yours, called by the server; 0: unknown
  // The server answered most of them with a status below 500, as a handler of exceptions does for
  // what the client did wrong.
  bool is_refused = false;
};
std::vector<FailedRequests> FailedRequestsOf(const ExceptionReport& report);

// How bad it is. nullopt: it is not a failure, or is rare.
std::optional<Severity> SeverityOf(const FailedRequests& failed, const ExceptionReport& report,
                                   const RequestReport& requests, const OverviewRules& rules);
Finding FindingOf(const FailedRequests& failed, const ExceptionReport& report,
                  const RequestReport& requests, Severity severity);

// Per request that the process served; nullopt if it served none, or if this was not recorded.
std::optional<double> PerRequest(uint64_t count, const ExceptionReport& report);

// "5 requests of 1,000 (0.5 %)", as far as it is known of how many.
std::string RequestsText(uint64_t count, const ExceptionReport& report);

}  // namespace hindsight::analyzer
