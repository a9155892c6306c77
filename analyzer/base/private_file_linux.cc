#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "analyzer/base/private_file.h"

namespace hindsight::analyzer {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr char kUnique[] = "XXXXXX";  // of mkdtemp and mkostemp

// Closes a descriptor that cannot be used, and preserves errno.
std::FILE* Stream(int descriptor) {
  std::FILE* const stream = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
  if (stream != nullptr || descriptor < 0) return stream;
  const int error = errno;
  close(descriptor);
  errno = error;
  return nullptr;
}

}  // namespace

OutputPlace PlaceOf(const std::string& name) {
  struct stat status;
  // What cannot be examined cannot be created either, and that will show why.
  if (lstat(name.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return OutputPlace::kReplaced;
  if (S_ISDIR(status.st_mode)) return OutputPlace::kFolder;
  if (S_ISLNK(status.st_mode) && stat(name.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return OutputPlace::kFolder;
  }
  return OutputPlace::kWrittenThrough;
}

std::FILE* CreatePrivateFile(const std::string& name) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int descriptor = open(name.c_str(), kFlags, kOwnerOnly);
  if (descriptor < 0 && errno == EEXIST && unlink(name.c_str()) == 0) {
    descriptor = open(name.c_str(), kFlags, kOwnerOnly);
  }
  // A umask may have removed the owner's bits. File systems without modes refuse this, and do not
  // need it.
  if (descriptor >= 0) (void)!fchmod(descriptor, kOwnerOnly);
  return Stream(descriptor);
}

std::FILE* OpenToWriteThrough(const std::string& name) {
  return Stream(open(name.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
}

std::FILE* CreatePrivateFileLike(std::string& name) {
  name += kUnique;
  return Stream(mkostemp(name.data(), O_CLOEXEC));  // 0600
}

bool CreatePrivateFolderLike(std::string& name) {
  name += kUnique;
  return mkdtemp(name.data()) != nullptr;  // 0700
}

bool MakeFolderPrivate(const std::string& name) { return chmod(name.c_str(), 0700) == 0; }

}  // namespace hindsight::analyzer
