// Data of pages, and what surrounds it.
#pragma once

#include <string_view>

#include "analyzer/page/page.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// Pages show their texts unchanged, so invisible characters and those that reorder a line are
// spelled out in them.
void MakePrintable(Json& json);

// The report's style and this script, inline in the page.
PageFrame FrameWith(std::string_view script);

}  // namespace hindsight::analyzer
