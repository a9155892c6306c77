// The files of exports/flame/, which the build embeds in the program.
#pragma once

#include <string_view>

namespace hindsight::analyzer {

// The document, with the marks {{style}}, {{data}} and {{script}} in place of the others.
extern const std::string_view kFlamePage;
extern const std::string_view kFlameStyle;
extern const std::string_view kFlameScript;

}  // namespace hindsight::analyzer
