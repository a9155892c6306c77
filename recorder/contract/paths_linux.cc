#include "recorder/contract/paths.h"

namespace hindsight::contract {

const char kAbsoluteFolder[] = "must be an absolute folder (/...)";

bool IsAbsolutePath(std::string_view path) { return path.starts_with('/'); }

std::string_view ProgramName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace hindsight::contract
