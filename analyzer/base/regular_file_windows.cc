#include <windows.h>

#include <algorithm>
#include <filesystem>

#include "analyzer/base/error_number_windows.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/regular_file.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMostAtOnce = 1u << 30;  // bytes per ReadFile

HANDLE FileHandle(intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

}  // namespace

std::optional<RegularFile> RegularFile::Open(const std::string& path, int& error) {
  const std::filesystem::path name = PathOf(path);
  // Backup semantics also open folders, which would otherwise be refused as if permissions were
  // missing.
  const HANDLE handle = CreateFileW(
      name.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
      OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    error = ErrorNumber(GetLastError());
    return std::nullopt;
  }
  RegularFile file(reinterpret_cast<intptr_t>(handle), 0);
  BY_HANDLE_FILE_INFORMATION facts;
  error = 0;
  if (GetFileType(handle) != FILE_TYPE_DISK) return std::nullopt;
  if (!GetFileInformationByHandle(handle, &facts)) {
    error = ErrorNumber(GetLastError());
    return std::nullopt;
  }
  if ((facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return std::nullopt;
  file.size_ = uint64_t{facts.nFileSizeHigh} << 32 | facts.nFileSizeLow;
  return file;
}

RegularFile::~RegularFile() {
  if (handle_ != kNone) CloseHandle(FileHandle(handle_));
}

size_t RegularFile::ReadAt(uint64_t offset, std::span<std::byte> out) const {
  size_t done = 0;
  while (done < out.size()) {
    const uint64_t at = offset + done;
    OVERLAPPED place{};
    place.Offset = static_cast<DWORD>(at);
    place.OffsetHigh = static_cast<DWORD>(at >> 32);
    const auto wanted = static_cast<DWORD>(std::min(out.size() - done, kMostAtOnce));
    DWORD got = 0;
    if (!ReadFile(FileHandle(handle_), out.data() + done, wanted, &got, &place) || got == 0) break;
    done += got;
  }
  return done;
}

}  // namespace hindsight::analyzer
