// Data of pages, and what is around it.
#pragma once

#include <string_view>

#include "analyzer/page/page.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// Pages show their texts as they are, so what is not seen or reorders a line is spelt out in them.
void MakePrintable(Json& json);

// The report's style, and this script, in the page itself.
PageFrame FrameWith(std::string_view script);

}  // namespace hindsight::analyzer
