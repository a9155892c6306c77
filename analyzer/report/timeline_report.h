// The output of `hindsight timeline`, as text and as JSON. Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/analyses/timeline.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// The number of parts of the time that fit on a line; use it for BuildTimeline.
uint32_t TimelineParts(const TextStyle& style);

std::string TimelineText(const Timeline& timeline, const TextStyle& style);
std::string TimelineJson(const Timeline& timeline);
SharedShape TimelineShape();

}  // namespace hindsight::analyzer
