#include "recorder/control/folder_linux.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "recorder/base/error_text.h"
#include "recorder/contract/control.h"

namespace hindsight::recorder {
namespace {

// The user's TMPDIR may be a symbolic link; what is in it may not.
Descriptor OpenTemporary(std::string_view tmp, std::string* why) {
  const std::string path(tmp);
  Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) *why = Failed("Cannot open the folder", path, errno);
  return folder;
}

// Opens the folder `name` in `parent`; `path` is for the message.
Descriptor OpenOwn(const Descriptor& parent, const char* name, const std::string& path,
                   std::string* why) {
  if (mkdirat(parent.get(), name, 0700) != 0 && errno != EEXIST) {
    *why = Failed("Cannot create the folder", path, errno);
    return {};
  }
  Descriptor folder(openat(parent.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) {
    const int error = errno;
    struct stat found = {};
    if (fstatat(parent.get(), name, &found, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(found.st_mode)) {
      *why = path + " is not a folder but a " +
             (S_ISLNK(found.st_mode) ? "symbolic link" : "file") + "; remove it.";
    } else {
      *why = Failed("Cannot open the folder", path, error);
    }
    return {};
  }
  struct stat found = {};
  if (fstat(folder.get(), &found) != 0) {
    *why = Failed("Cannot examine the folder", path, errno);
  } else if (found.st_uid != geteuid()) {
    *why = path + " belongs to user " + std::to_string(found.st_uid) + " instead of " +
           std::to_string(geteuid()) + "; remove it, or set TMPDIR to another folder.";
  } else if ((found.st_mode & 022) != 0) {
    *why = path + " is writable by others; chmod it to 700.";
  } else {
    return folder;
  }
  return {};
}

}  // namespace

std::string Failed(std::string_view what, const std::string& path, int error) {
  return std::string(what) + ' ' + path + ": " + ErrorText(error);
}

Descriptor OpenPrivateFolder(std::string_view tmp, std::string_view name, std::string* why) {
  const Descriptor parent = OpenTemporary(tmp, why);
  if (!parent) return {};
  const std::string user_path = contract::UserFolder(tmp, geteuid());
  const std::string user_name = user_path.substr(user_path.rfind('/') + 1);
  const Descriptor user = OpenOwn(parent, user_name.c_str(), user_path, why);
  if (!user) return {};
  const std::string inner(name);
  return OpenOwn(user, inner.c_str(), user_path + '/' + inner, why);
}

bool MakeSpareFolder(std::string_view tmp, SpareFolder* spare, std::string* why) {
  spare->parent = OpenTemporary(tmp, why);
  if (!spare->parent) return false;
  constexpr int kAttempts = 8;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
      *why = "The system provided no random numbers for a folder name.";
      break;
    }
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    spare->name = contract::SpareFolderPrefix(geteuid()) + digits;
    const std::string path = std::string(tmp) + '/' + spare->name;
    if (mkdirat(spare->parent.get(), spare->name.c_str(), 0700) != 0) {
      if (errno == EEXIST) continue;
      *why = Failed("Cannot create the folder", path, errno);
      break;
    }
    spare->folder = OpenOwn(spare->parent, spare->name.c_str(), path, why);
    if (spare->folder) return true;
    unlinkat(spare->parent.get(), spare->name.c_str(), AT_REMOVEDIR);
    break;
  }
  spare->parent.Close();
  return false;
}

void RemoveSpareFolder(SpareFolder* spare) {
  if (spare->parent.IsOurs()) {
    unlinkat(spare->parent.get(), spare->name.c_str(), AT_REMOVEDIR);
  }
  *spare = {};
}

}  // namespace hindsight::recorder
