#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <sddl.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <random>
#include <vector>

#include "analyzer/base/error_number_windows.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/private_file.h"

namespace hindsight::analyzer {
namespace {

constexpr int kMostNames = 100;  // that are tried for a new file

struct Freed {
  void operator()(void* memory) const { LocalFree(memory); }
};

// As text; empty if it is not available.
std::wstring UserId() {
  HANDLE token = nullptr;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return {};
  DWORD size = 0;
  GetTokenInformation(token, TokenUser, nullptr, 0, &size);
  std::vector<char> bytes(size);
  wchar_t* text = nullptr;
  std::wstring id;
  if (GetTokenInformation(token, TokenUser, bytes.data(), size, &size) &&
      ConvertSidToStringSidW(reinterpret_cast<TOKEN_USER*>(bytes.data())->User.Sid, &text)) {
    id = text;
    LocalFree(text);
  }
  CloseHandle(token);
  return id;
}

// What 0600 is on Linux: access for the user, and for those who may read everything anyway; nothing
// is inherited from the folder.
class OnlyOwner {
 public:
  OnlyOwner() {
    const std::wstring user = UserId();
    if (user.empty()) return;
    const std::wstring rules = L"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + user + L")";
    void* made = nullptr;
    if (ConvertStringSecurityDescriptorToSecurityDescriptorW(rules.c_str(), SDDL_REVISION_1, &made,
                                                             nullptr)) {
      descriptor_.reset(made);
    }
    attributes_.lpSecurityDescriptor = made;
  }
  SECURITY_ATTRIBUTES* attributes() { return &attributes_; }
  // Null: the user could not be determined.
  void* descriptor() { return descriptor_.get(); }

 private:
  std::unique_ptr<void, Freed> descriptor_;
  SECURITY_ATTRIBUTES attributes_{sizeof(SECURITY_ATTRIBUTES), nullptr, FALSE};
};

std::FILE* StreamOf(HANDLE handle) {
  if (handle == INVALID_HANDLE_VALUE) {
    errno = ErrorNumber(GetLastError());
    return nullptr;
  }
  const int descriptor = _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY);
  if (descriptor < 0) {
    CloseHandle(handle);
    errno = EMFILE;
    return nullptr;
  }
  std::FILE* const stream = _fdopen(descriptor, "wb");
  if (stream == nullptr) _close(descriptor);
  return stream;
}

std::FILE* CreateNew(const std::filesystem::path& name) {
  OnlyOwner owner;
  return StreamOf(CreateFileW(name.c_str(), GENERIC_WRITE | DELETE,
                              FILE_SHARE_READ | FILE_SHARE_DELETE, owner.attributes(), CREATE_NEW,
                              FILE_ATTRIBUTE_NORMAL, nullptr));
}

std::string UniqueEnd() {
  static std::random_device random;
  constexpr char kDigits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string end;
  for (int i = 0; i < 6; ++i) end += kDigits[random() % (sizeof(kDigits) - 1)];
  return end;
}

}  // namespace

OutputPlace PlaceOf(const std::string& name) {
  const std::filesystem::path path = PathOf(name);
  const DWORD attributes = GetFileAttributesW(path.c_str());
  if (attributes != INVALID_FILE_ATTRIBUTES) {
    if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return OutputPlace::kFolder;
    if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return OutputPlace::kWrittenThrough;
  }
  // NUL, CON, COM1 and pipes have special names.
  wchar_t full[MAX_PATH];
  const DWORD length = GetFullPathNameW(path.c_str(), MAX_PATH, full, nullptr);
  const bool is_device =
      length > 0 && length < MAX_PATH && std::wstring_view(full).starts_with(L"\\\\.\\");
  return is_device ? OutputPlace::kWrittenThrough : OutputPlace::kReplaced;
}

std::FILE* CreatePrivateFile(const std::string& name) {
  const std::filesystem::path path = PathOf(name);
  std::FILE* stream = CreateNew(path);
  if (stream == nullptr && errno == EEXIST) {
    if (!DeleteFileW(path.c_str())) {
      errno = ErrorNumber(GetLastError());
      return nullptr;
    }
    stream = CreateNew(path);
  }
  return stream;
}

std::FILE* OpenToWriteThrough(const std::string& name) {
  const std::filesystem::path path = PathOf(name);
  HANDLE handle = CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
                              nullptr, TRUNCATE_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  // Something that is not a file cannot be truncated.
  if (handle == INVALID_HANDLE_VALUE) {
    handle = CreateFileW(path.c_str(), GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                         OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  }
  return StreamOf(handle);
}

std::FILE* CreatePrivateFileLike(std::string& name) {
  for (int i = 0; i < kMostNames; ++i) {
    const std::string tried = name + UniqueEnd();
    std::FILE* const stream = CreateNew(PathOf(tried));
    if (stream == nullptr && errno == EEXIST) continue;
    name = tried;
    return stream;
  }
  return nullptr;
}

bool CreatePrivateFolderLike(std::string& name) {
  OnlyOwner owner;
  for (int i = 0; i < kMostNames; ++i) {
    const std::string tried = name + UniqueEnd();
    if (CreateDirectoryW(PathOf(tried).c_str(), owner.attributes())) {
      name = tried;
      return true;
    }
    errno = ErrorNumber(GetLastError());
    if (errno != EEXIST) return false;
  }
  return false;
}

bool MakeFolderPrivate(const std::string& name) {
  OnlyOwner owner;
  if (owner.descriptor() != nullptr &&
      SetFileSecurityW(PathOf(name).c_str(),
                       DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION,
                       owner.descriptor())) {
    return true;
  }
  errno = ErrorNumber(GetLastError());
  return false;
}

}  // namespace hindsight::analyzer
