#include <cstdlib>
#include <filesystem>

#include "analyzer/cli/usual_folder.h"

namespace hindsight::cli {

// Private to the user, as Windows creates %LOCALAPPDATA%, and not among what roams between
// machines.
std::string UsualFolder() {
  const wchar_t* const local = _wgetenv(L"LOCALAPPDATA");
  const std::filesystem::path base(local == nullptr ? L"." : local);
  return (base / "Hindsight" / "recordings").string();
}

}  // namespace hindsight::cli
