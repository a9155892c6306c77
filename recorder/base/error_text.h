// The system's text for an errno. Any thread.
#pragma once

#include <string>

namespace hindsight::recorder {

std::string ErrorText(int error);

}  // namespace hindsight::recorder
