// The files of the explorer's page, which the build embeds in the program.
#pragma once

#include <string_view>

#include "analyzer/page/page_files.h"

namespace hindsight::analyzer {

extern const std::string_view kExplorerPage;
extern const std::string_view kExplorerStyle;
extern const std::string_view kExplorerScript;
// What is shown next to the report: the way back to the explorer.
extern const std::string_view kBesideReport;

}  // namespace hindsight::analyzer
