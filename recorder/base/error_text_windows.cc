#include <string.h>

#include "recorder/base/error_text.h"

namespace hindsight::recorder {

std::string ErrorText(int error) {
  char text[128];
  return strerror_s(text, sizeof text, error) == 0 ? text : "error " + std::to_string(error);
}

}  // namespace hindsight::recorder
