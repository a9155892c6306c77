#pragma once

#include <string_view>

namespace hindsight::analyzer {

// The last part of a path: libcoreclr.so.
inline std::string_view FileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace hindsight::analyzer
