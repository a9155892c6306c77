// The files of the page, which the build embeds in the program.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// The document, with the marks {{head}}, {{data}}, {{profiles}} and {{foot}} in place of the rest.
extern const std::string_view kReportPage;
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;
// For the page of a fleet, which has the same style.
extern const std::string_view kFleetPage;
extern const std::string_view kFleetScript;

}  // namespace hindsight::analyzer
