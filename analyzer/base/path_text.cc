#include "analyzer/base/path_text.h"

#include <filesystem>

namespace hindsight::analyzer {
namespace {

bool IsSeparator(char c) {
  return c == '/' || c == static_cast<char>(std::filesystem::path::preferred_separator);
}

}  // namespace

std::string WithoutLastSeparators(std::string name) {
  const size_t root = std::filesystem::path(name).root_path().string().size();
  while (name.size() > 1 && name.size() > root && IsSeparator(name.back())) name.pop_back();
  return name;
}

}  // namespace hindsight::analyzer
