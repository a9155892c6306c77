// The files of the page, which the build puts into the program.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// The document, with marks {{head}}, {{data}}, {{profiles}} and {{foot}} where the rest goes.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;
// Of the page of a fleet, which has the same style.
extern const std::string_view kFleetPage;
extern const std::string_view kFleetScript;

}  // namespace hindsight::analyzer
