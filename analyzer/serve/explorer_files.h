// The files of the explorer's page, which the build puts into the program.
#pragma once

#include <string_view>

#include "analyzer/page/page_files.h"

namespace hindsight::analyzer {

extern const std::string_view kExplorerPage;
extern const std::string_view kExplorerStyle;
extern const std::string_view kExplorerScript;
// What stands beside the report: the way back to the explorer.
extern const std::string_view kBesideReport;

}  // namespace hindsight::analyzer
