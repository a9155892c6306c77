// Many recordings on one page: what is wrong on how many hosts, which of them differ, since when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/fields/shape.h"
#include "analyzer/fleet/fleet.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct FleetPage {
  const Fleet* fleet = nullptr;
  uint64_t read = 0;            // recordings that were read for this page
  uint64_t from_catalogue = 0;  // already known from an earlier run
  std::string catalogue_note;   // a sentence: there is none, or it could not be written
};

inline constexpr size_t kFleetFindings = 12;

// At most `top` findings and outliers each (0: all), in 80 columns.
std::string FleetText(const FleetPage& page, const TextStyle& style, size_t top = kFleetFindings);

// Everything.
std::string FleetJson(const FleetPage& page);
SharedShape FleetShape();

}  // namespace hindsight::analyzer
