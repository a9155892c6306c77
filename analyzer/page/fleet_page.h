// The report of a fleet, as one HTML file like that of a recording (page.h): which findings are on
// how many hosts and since which build, which hosts differ, and how hosts and builds compare. Its
// data is the output of `hindsight fleet --json`, cut to the most significant rows.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/exports/byte_sink.h"
#include "analyzer/report/fleet/fleet_report.h"

namespace hindsight::analyzer {

struct FleetPageLimits {
  size_t rows = 500;  // per list
};

// False: `sink` could not write it.
bool WriteFleetPage(const FleetPage& fleet, const std::string& creator, const ByteSink& sink,
                    const FleetPageLimits& limits = {});

}  // namespace hindsight::analyzer
