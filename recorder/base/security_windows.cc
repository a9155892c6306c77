#include <windows.h>

#include <aclapi.h>
#include <sddl.h>

#include <string>

#include "recorder/base/handle_windows.h"
#include "recorder/base/security_windows.h"

namespace hindsight::recorder {
namespace {

// The user of the process. The calling thread may be impersonating another user.
struct User {
  alignas(TOKEN_USER) std::byte bytes[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
  bool known = false;

  User() {
    HANDLE token = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return;
    DWORD size = 0;
    known = GetTokenInformation(token, TokenUser, bytes, sizeof bytes, &size);
    CloseHandle(token);
  }
  PSID id() { return reinterpret_cast<TOKEN_USER*>(bytes)->User.Sid; }
};

}  // namespace

OnlyOwner::OnlyOwner() {
  User user;
  wchar_t* id = nullptr;
  if (!user.known || !ConvertSidToStringSidW(user.id(), &id)) return;
  const std::wstring rules =
      L"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + std::wstring(id) + L")";
  LocalFree(id);
  ConvertStringSecurityDescriptorToSecurityDescriptorW(rules.c_str(), SDDL_REVISION_1, &descriptor_,
                                                       nullptr);
}

OnlyOwner::~OnlyOwner() { LocalFree(descriptor_); }

bool BelongsToUs(int file) {
  PSID owner = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  if (GetSecurityInfo(HandleOf(file), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr,
                      nullptr, nullptr, &descriptor) != ERROR_SUCCESS) {
    return false;
  }
  User user;
  const bool ours = owner != nullptr && ((user.known && EqualSid(owner, user.id())) ||
                                         IsWellKnownSid(owner, WinLocalSystemSid) ||
                                         IsWellKnownSid(owner, WinBuiltinAdministratorsSid));
  LocalFree(descriptor);
  return ours;
}

}  // namespace hindsight::recorder
