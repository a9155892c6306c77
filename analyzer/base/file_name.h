#pragma once

#include <string_view>

namespace hindsight::analyzer {

// The last part of a path of any system: libcoreclr.so, coreclr.dll.
inline std::string_view FileName(std::string_view path) {
  const size_t separator = path.find_last_of("/\\");
  return separator == std::string_view::npos ? path : path.substr(separator + 1);
}

// A native library's name without what its system adds: coreclr.
inline std::string_view LibraryName(std::string_view path) {
  std::string_view name = FileName(path);
  if (name.ends_with(".dll")) return name.substr(0, name.size() - 4);
  const size_t extension = name.find(".so");
  if (!name.starts_with("lib") || extension == std::string_view::npos) return name;
  return name.substr(3, extension - 3);
}

}  // namespace hindsight::analyzer
