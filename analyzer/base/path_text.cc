#include "analyzer/base/path_text.h"

#include <filesystem>
#include <system_error>

namespace hindsight::analyzer {
namespace {

bool IsSeparator(char c) {
  return c == '/' || c == static_cast<char>(std::filesystem::path::preferred_separator);
}

}  // namespace

std::filesystem::path PathOf(std::string_view name) {
  const auto* const begin = reinterpret_cast<const char8_t*>(name.data());
  try {
    return std::filesystem::path(begin, begin + name.size());
  } catch (const std::system_error&) {
    return std::filesystem::path("?");
  }
}

std::string WithoutLastSeparators(std::string name) {
  const size_t root = PathOf(name).root_path().string().size();
  while (name.size() > 1 && name.size() > root && IsSeparator(name.back())) name.pop_back();
  return name;
}

}  // namespace hindsight::analyzer
