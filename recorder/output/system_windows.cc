#include <windows.h>

#include <winternl.h>

#include <ntsecapi.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "recorder/base/clock.h"
#include "recorder/base/handle_windows.h"
#include "recorder/base/security_windows.h"
#include "recorder/base/wide_text_windows.h"
#include "recorder/output/open_windows.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

// Readers may read, rename and delete while we write.
constexpr uint32_t kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr uint32_t kPlainFile = FILE_NON_DIRECTORY_FILE | FILE_SYNCHRONOUS_IO_NONALERT;

}  // namespace

Descriptor OpenIn(int folder, const std::string& name, const OpenRequest& request) {
  std::wstring wide = Utf16(name);
  UNICODE_STRING text{};
  text.Buffer = wide.data();
  text.Length = text.MaximumLength = static_cast<USHORT>(wide.size() * sizeof(wchar_t));
  OBJECT_ATTRIBUTES object{};
  object.Length = sizeof object;
  object.RootDirectory = folder < 0 ? nullptr : HandleOf(folder);
  object.ObjectName = &text;
  object.Attributes = OBJ_CASE_INSENSITIVE;
  object.SecurityDescriptor = request.security;
  HANDLE handle = nullptr;
  IO_STATUS_BLOCK io{};
  const NTSTATUS status =
      NtCreateFile(&handle, request.access | SYNCHRONIZE, &object, &io, nullptr,
                   FILE_ATTRIBUTE_NORMAL, request.share, request.disposition,
                   request.options | (request.follow ? 0 : FILE_OPEN_REPARSE_POINT), nullptr, 0);
  if (status >= 0) return Descriptor(NumberOf(handle));
  errno = ErrnoOfStatus(status);
  return {};
}

bool LeadsElsewhere(int file) {
  FILE_ATTRIBUTE_TAG_INFO info{};
  return !GetFileInformationByHandleEx(HandleOf(file), FileAttributeTagInfo, &info, sizeof info) ||
         (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

// A pipe that is not being read would block: only what fits into its buffer is written.
bool WriteToStderr(std::string_view text) {
  const HANDLE handle = GetStdHandle(STD_ERROR_HANDLE);
  if (handle == nullptr || handle == INVALID_HANDLE_VALUE) return false;
  if (GetFileType(handle) == FILE_TYPE_PIPE) {
    IO_STATUS_BLOCK io{};
    FILE_PIPE_LOCAL_INFORMATION pipe{};
    const NTSTATUS status = NtQueryInformationFile(handle, &io, &pipe, sizeof pipe,
                                                   static_cast<FILE_INFORMATION_CLASS>(24));
    if (status < 0 || pipe.WriteQuotaAvailable < text.size()) return false;
  }
  DWORD written = 0;
  return WriteFile(handle, text.data(), static_cast<DWORD>(text.size()), &written, nullptr) &&
         written == text.size();
}

int WriteAll(int file, std::span<const std::byte> bytes) {
  constexpr size_t kMost = 1u << 30;
  while (!bytes.empty()) {
    DWORD written = 0;
    if (!WriteFile(HandleOf(file), bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kMost)),
                   &written, nullptr)) {
      return ErrnoOf(GetLastError());
    }
    if (written == 0) return EIO;
    bytes = bytes.subspan(written);
  }
  return 0;
}

Descriptor CreatePrivateFile(int folder, const std::string& name) {
  const OnlyOwner owner;
  if (owner.descriptor() == nullptr) {
    errno = EACCES;
    return {};
  }
  return OpenIn(folder, name,
                {.access = FILE_APPEND_DATA | FILE_WRITE_DATA | FILE_READ_ATTRIBUTES | DELETE,
                 .share = FILE_SHARE_READ | FILE_SHARE_DELETE,
                 .disposition = FILE_CREATE,
                 .options = kPlainFile,
                 .security = owner.descriptor()});
}

void MakePrivateFolder(int) {}

std::optional<uint64_t> FileBytes(int file) {
  LARGE_INTEGER size{};
  if (!GetFileSizeEx(HandleOf(file), &size)) return std::nullopt;
  return static_cast<uint64_t>(size.QuadPart);
}

bool CutFile(int file, uint64_t bytes) {
  LARGE_INTEGER end{};
  end.QuadPart = static_cast<LONGLONG>(bytes);
  return SetFilePointerEx(HandleOf(file), end, nullptr, FILE_BEGIN) && SetEndOfFile(HandleOf(file));
}

bool IsDeleted(int file) {
  FILE_STANDARD_INFO info{};
  return GetFileInformationByHandleEx(HandleOf(file), FileStandardInfo, &info, sizeof info) &&
         (info.DeletePending || info.NumberOfLinks == 0);
}

int RemoveFile(int folder, const std::string& name) {
  const Descriptor file = OpenIn(
      folder, name,
      {.access = DELETE, .share = kShareAll, .disposition = FILE_OPEN, .options = kPlainFile});
  if (!file) return errno;
  FILE_DISPOSITION_INFO gone{TRUE};
  return SetFileInformationByHandle(HandleOf(file.get()), FileDispositionInfo, &gone, sizeof gone)
             ? 0
             : ErrnoOf(GetLastError());
}

Descriptor OpenAgain(int folder) {
  HANDLE copy = nullptr;
  const HANDLE self = GetCurrentProcess();
  if (!DuplicateHandle(self, HandleOf(folder), self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
    errno = ErrnoOf(GetLastError());
  }
  return Descriptor(NumberOf(copy));
}

std::vector<FileInFolder> FilesIn(int folder, std::string_view begin, std::string_view end) {
  std::vector<FileInFolder> files;
  alignas(8) char buffer[8192];
  auto how = FileIdBothDirectoryRestartInfo;
  while (GetFileInformationByHandleEx(HandleOf(folder), how, buffer, sizeof buffer)) {
    how = FileIdBothDirectoryInfo;
    const char* at = buffer;
    while (true) {
      const auto& entry = *reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(at);
      const std::string name = Utf8({entry.FileName, entry.FileNameLength / sizeof(wchar_t)});
      const bool is_file =
          (entry.FileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) == 0;
      if (is_file && name.starts_with(begin) && name.ends_with(end)) {
        files.push_back({name, static_cast<uint64_t>(entry.EndOfFile.QuadPart)});
      }
      if (entry.NextEntryOffset == 0) break;
      at += entry.NextEntryOffset;
    }
  }
  return files;
}

std::string PathIn(std::string_view folder, std::string_view name) {
  return std::string(folder) + '\\' + std::string(name);
}

bool IsDiskFull(int error) { return error == ENOSPC; }

bool IsFolderGone(int error) { return error == ENOENT; }

const int kFolderGone = ENOENT;

uint64_t UsableBytes(int file) {
  constexpr uint64_t kReserveShare = 100;
  constexpr uint64_t kMaxReserveBytes = 64u << 20;
  IO_STATUS_BLOCK io{};
  // FILE_FS_SIZE_INFORMATION, with the quota of the user.
  struct {
    LARGE_INTEGER total, available;
    ULONG sectors, bytes;
  } disk{};
  constexpr auto kFileFsSizeInformation = static_cast<FS_INFORMATION_CLASS>(3);
  if (NtQueryVolumeInformationFile(HandleOf(file), &io, &disk, sizeof disk,
                                   kFileFsSizeInformation) < 0 ||
      disk.total.QuadPart == 0) {
    return UINT64_MAX;
  }
  const uint64_t unit = uint64_t{disk.sectors} * disk.bytes;
  const uint64_t total = static_cast<uint64_t>(disk.total.QuadPart) * unit;
  const uint64_t free = static_cast<uint64_t>(disk.available.QuadPart) * unit;
  const uint64_t reserve = std::min(total / kReserveShare, kMaxReserveBytes);
  return free > reserve ? free - reserve : 0;
}

tm UtcOf(time_t seconds) {
  tm utc{};
  gmtime_s(&utc, &seconds);
  return utc;
}

uint64_t RandomId() {
  uint64_t id = 0;
  if (RtlGenRandom(&id, sizeof id)) return id;
  id = UnixNs() ^ (MonotonicNs() << 20) ^ (uint64_t{GetCurrentProcessId()} << 40);
  id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9u;
  id = (id ^ (id >> 27)) * 0x94d049bb133111ebu;
  return id ^ (id >> 31);
}

// A failing write raises no signal.
WriteSignalsBlocked::WriteSignalsBlocked() = default;

WriteSignalsBlocked::~WriteSignalsBlocked() = default;

}  // namespace hindsight::recorder
