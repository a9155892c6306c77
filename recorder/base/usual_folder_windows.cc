#include <windows.h>

#include "recorder/base/usual_folder.h"
#include "recorder/base/wide_text_windows.h"

namespace hindsight::recorder {

// The recorder has no temporary files.
std::string TemporaryFolder() { return {}; }

// In %LOCALAPPDATA%, which Windows creates for the user alone and which does not roam between
// machines. A process without a profile uses %ProgramData%.
std::string UsualOutput(std::string_view) {
  std::string folder;
  if (!ReadVariable("LOCALAPPDATA", folder)) ReadVariable("ProgramData", folder);
  return folder + "\\Hindsight\\recordings";
}

bool ReadVariable(const char* name, std::string& value) {
  const std::wstring wide = Utf16(name);
  std::wstring text(128, L'\0');
  while (true) {
    SetLastError(ERROR_SUCCESS);
    const DWORD size =
        GetEnvironmentVariableW(wide.c_str(), text.data(), static_cast<DWORD>(text.size()));
    if (size == 0 && GetLastError() == ERROR_ENVVAR_NOT_FOUND) return false;
    const bool fits = size < text.size();
    text.resize(size);
    if (!fits) continue;
    value = Utf8(text);
    return true;
  }
}

}  // namespace hindsight::recorder
