#include "recorder/base/error_text.h"

#include <cstddef>

namespace hindsight::recorder {

// POSIX strerror_r, under the one name that means it in every libc: glibc's own `strerror_r`
// returns a string, musl's a status, and one library serves both.
extern "C" int __xpg_strerror_r(int error, char* buffer, size_t size) noexcept;

std::string ErrorText(int error) {
  char text[128];
  return __xpg_strerror_r(error, text, sizeof text) == 0 ? text : "error " + std::to_string(error);
}

}  // namespace hindsight::recorder
