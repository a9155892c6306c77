#include "trigger/target/handle_windows.h"

#include <windows.h>

#include <sddl.h>

#include <system_error>
#include <vector>

#include "analyzer/cli/wide_text_windows.h"

namespace hindsight::trigger {

void HandleCloser::operator()(void* handle) const { CloseHandle(handle); }

UniqueHandle Owned(void* handle) {
  return UniqueHandle(handle == INVALID_HANDLE_VALUE ? nullptr : handle);
}

std::string ErrorText(unsigned long error) {
  std::string text = std::system_category().message(static_cast<int>(error));
  while (!text.empty() && (text.back() == '.' || text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

std::string UserIdOf(void* process) {
  HANDLE opened = nullptr;
  if (!OpenProcessToken(process, TOKEN_QUERY, &opened)) return {};
  const UniqueHandle token(opened);
  DWORD size = 0;
  GetTokenInformation(token.get(), TokenUser, nullptr, 0, &size);
  std::vector<char> bytes(size);
  wchar_t* text = nullptr;
  if (!GetTokenInformation(token.get(), TokenUser, bytes.data(), size, &size) ||
      !ConvertSidToStringSidW(reinterpret_cast<TOKEN_USER*>(bytes.data())->User.Sid, &text)) {
    return {};
  }
  std::string id = cli::Utf8(text);
  LocalFree(text);
  return id;
}

bool IsElevated() {
  HANDLE opened = nullptr;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened)) return false;
  const UniqueHandle token(opened);
  TOKEN_ELEVATION elevation{};
  DWORD size = sizeof(elevation);
  return GetTokenInformation(token.get(), TokenElevation, &elevation, size, &size) &&
         elevation.TokenIsElevated != 0;
}

}  // namespace hindsight::trigger
