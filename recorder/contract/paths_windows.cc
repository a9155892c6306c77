#include "recorder/contract/paths.h"

namespace hindsight::contract {
namespace {

constexpr std::string_view kSeparators = "\\/";

bool IsSeparator(char c) { return kSeparators.find(c) != std::string_view::npos; }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool EndsWithExe(std::string_view name) {
  constexpr std::string_view kExe = ".exe";
  if (name.size() <= kExe.size()) return false;
  for (size_t i = 0; i < kExe.size(); ++i) {
    const char c = name[name.size() - kExe.size() + i];
    if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != kExe[i]) return false;
  }
  return true;
}

}  // namespace

const char kAbsoluteFolder[] = "must be an absolute folder (C:\\... or \\\\server\\share\\...)";

// \folder is on the drive that happens to be the current one, and C:folder below its current
// folder.
bool IsAbsolutePath(std::string_view path) {
  if (path.size() >= 3 && IsLetter(path[0]) && path[1] == ':' && IsSeparator(path[2])) return true;
  return path.size() > 2 && IsSeparator(path[0]) && IsSeparator(path[1]);
}

std::string_view ProgramName(std::string_view path) {
  std::string_view name = path.substr(path.find_last_of(kSeparators) + 1);
  if (EndsWithExe(name)) name.remove_suffix(4);
  return name;
}

}  // namespace hindsight::contract
