#include "recorder/output/system.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>

#include "recorder/base/clock.h"

namespace hindsight::recorder {

bool WriteToStderr(std::string_view text) {
  // What the process has inherited, or was made its stderr with dup2, is not closed by exec. A file
  // that merely got the number because stderr was closed is the application's (.NET opens all files
  // with O_CLOEXEC).
  const int flags = fcntl(STDERR_FILENO, F_GETFD);
  if (flags < 0 || (flags & FD_CLOEXEC) != 0) return false;
  pollfd stderr_state{STDERR_FILENO, POLLOUT, 0};
  if (poll(&stderr_state, 1, 0) != 1 || (stderr_state.revents & POLLOUT) == 0) return false;
  WriteSignalsBlocked guard;
  return write(STDERR_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

int WriteAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Descriptor CreatePrivateFile(int folder, const std::string& name) {
  constexpr mode_t kMode = 0600;
  Descriptor file(openat(folder, name.c_str(),
                         O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode));
  // A umask only removes bits, and the file is already open, so nothing depends on success.
  if (file) (void)!fchmod(file.get(), kMode);
  return file;
}

void MakePrivateFolder(int folder) {
  constexpr mode_t kMode = 0700;
  struct stat status;
  if (fstat(folder, &status) != 0 || status.st_uid != geteuid() ||
      (status.st_mode & kMode) == kMode) {
    return;
  }
  // This name works for a descriptor opened with O_PATH, and cannot refer to another folder.
  const std::string path = "/proc/self/fd/" + std::to_string(folder);
  (void)!chmod(path.c_str(), kMode);
}

std::optional<uint64_t> FileBytes(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return std::nullopt;
  return static_cast<uint64_t>(status.st_size);
}

bool CutFile(int file, uint64_t bytes) { return ftruncate(file, static_cast<off_t>(bytes)) == 0; }

bool IsDeleted(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && status.st_nlink == 0;
}

int RemoveFile(int folder, const std::string& name) {
  return unlinkat(folder, name.c_str(), 0) == 0 ? 0 : errno;
}

Descriptor OpenAgain(int folder) { return Descriptor(fcntl(folder, F_DUPFD_CLOEXEC, 0)); }

std::vector<FileInFolder> FilesIn(int folder, std::string_view begin, std::string_view end) {
  std::vector<FileInFolder> files;
  const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(own >= 0 ? fdopendir(own) : nullptr, closedir);
  if (!listing) {
    if (own >= 0) close(own);
    return files;
  }
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(begin) || !name.ends_with(end)) continue;
    struct stat status;
    if (fstatat(dirfd(listing.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({std::string(name), static_cast<uint64_t>(status.st_size)});
  }
  return files;
}

std::string PathIn(std::string_view folder, std::string_view name) {
  return std::string(folder) + '/' + std::string(name);
}

bool IsDiskFull(int error) { return error == ENOSPC || error == EDQUOT; }

bool IsFolderGone(int error) { return error == ENOENT || error == ESTALE; }

const int kFolderGone = ESTALE;

uint64_t UsableBytes(int file) {
  constexpr uint64_t kReserveShare = 100;
  constexpr uint64_t kMaxReserveBytes = 64u << 20;
  struct statvfs disk;
  // Some file systems do not know their size and report 0.
  if (fstatvfs(file, &disk) != 0 || disk.f_blocks == 0) return UINT64_MAX;
  const uint64_t reserve =
      std::min<uint64_t>(uint64_t{disk.f_blocks} * disk.f_frsize / kReserveShare, kMaxReserveBytes);
  const uint64_t free = uint64_t{disk.f_bavail} * disk.f_frsize;
  return free > reserve ? free - reserve : 0;
}

tm UtcOf(time_t seconds) {
  tm utc{};
  gmtime_r(&seconds, &utc);
  return utc;
}

uint64_t RandomId() {
  uint64_t id = 0;
  if (getrandom(&id, sizeof id, GRND_NONBLOCK) == sizeof id) return id;
  id = UnixNs() ^ (MonotonicNs() << 20) ^ (static_cast<uint64_t>(getpid()) << 40);
  id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9u;
  id = (id ^ (id >> 27)) * 0x94d049bb133111ebu;
  return id ^ (id >> 31);
}

namespace {

sigset_t* SetIn(std::byte* memory) { return reinterpret_cast<sigset_t*>(memory); }

}  // namespace

WriteSignalsBlocked::WriteSignalsBlocked() {
  static_assert(sizeof(sigset_t) <= sizeof(before_) && alignof(sigset_t) <= 8);
  sigset_t* const before = new (before_) sigset_t;
  sigset_t* const to_take = new (to_take_) sigset_t;
  sigset_t pending;
  sigpending(&pending);
  sigemptyset(to_take);
  sigset_t ours;
  sigemptyset(&ours);
  for (int signal : {SIGXFSZ, SIGPIPE}) {
    sigaddset(&ours, signal);
    if (sigismember(&pending, signal) == 0) sigaddset(to_take, signal);
  }
  pthread_sigmask(SIG_BLOCK, &ours, before);
}

WriteSignalsBlocked::~WriteSignalsBlocked() {
  const int error = errno;
  const timespec no_wait{};
  while (sigtimedwait(SetIn(to_take_), nullptr, &no_wait) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, SetIn(before_), nullptr);
  errno = error;
}

}  // namespace hindsight::recorder
