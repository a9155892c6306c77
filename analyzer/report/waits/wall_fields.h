// The rows of `hindsight wall` that both its JSON and the tables of its text show.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/fields/fields.h"

namespace hindsight::analyzer {

Object<WallPlace, WallReport> WallPlaceFields();
Object<WallThread, WallReport> WallThreadFields();

// 0 to 1; 0 of nothing.
inline double PartOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The method that waits, and the framework call in which it waits.
std::string WallPlaceText(const WallPlace& place, const WallReport& report);

}  // namespace hindsight::analyzer
