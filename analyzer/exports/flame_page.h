// The files of exports/flame/, which the build puts into the program.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// The document, with marks {{style}}, {{data}} and {{script}} where the others go.
extern const std::string_view kFlamePage;
extern const std::string_view kFlameStyle;
extern const std::string_view kFlameScript;

}  // namespace hindsight::analyzer
