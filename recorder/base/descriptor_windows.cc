#include <windows.h>

#include <winternl.h>

#include <cerrno>

#include "recorder/base/descriptor.h"
#include "recorder/base/handle_windows.h"

namespace hindsight::recorder {

// Pipes and events have no permanent identity: for them it is only known that they are open.
FileIdentity FileIdentity::Of(int fd) {
  if (fd < 0) return {};
  const HANDLE handle = HandleOf(fd);
  BY_HANDLE_FILE_INFORMATION file;
  if (GetFileInformationByHandle(handle, &file)) {
    return {true, file.dwVolumeSerialNumber,
            uint64_t{file.nFileIndexHigh} << 32 | file.nFileIndexLow};
  }
  DWORD flags = 0;
  if (!GetHandleInformation(handle, &flags)) return {};
  return {true, 0, GetFileType(handle)};
}

// The standard streams have no fixed numbers.
int Descriptor::NotStandard(int fd) { return fd; }

int Descriptor::Close() {
  if (fd_ < 0) return 0;
  const bool is_ours = IsOurs();
  const int fd = std::exchange(fd_, -1);
  if (!is_ours) return EBADF;
  return CloseHandle(HandleOf(fd)) ? 0 : ErrnoOf(GetLastError());
}

int ErrnoOf(uint32_t error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE:
    case ERROR_DELETE_PENDING:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    case ERROR_INVALID_HANDLE:
      return EBADF;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_COMMITMENT_LIMIT:
      return ENOMEM;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_PARAMETER:
      return EINVAL;
    default:
      return EIO;
  }
}

int ErrnoOfStatus(int32_t status) { return ErrnoOf(RtlNtStatusToDosError(status)); }

}  // namespace hindsight::recorder
