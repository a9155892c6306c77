// What the system says of an errno, on any thread.
#pragma once

#include <string>

namespace hindsight::recorder {

// The strerror_r of POSIX, under the one name that means it in every libc: glibc's own `strerror_r`
// returns a text, musl's a status, and one library is made for both.
extern "C" int __xpg_strerror_r(int error, char* buffer, size_t size) noexcept;

inline std::string ErrorText(int error) {
  char text[128];
  return __xpg_strerror_r(error, text, sizeof text) == 0 ? text : "error " + std::to_string(error);
}

}  // namespace hindsight::recorder
