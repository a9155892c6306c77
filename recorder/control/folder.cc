#include "recorder/control/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "recorder/contract/control.h"

namespace hindsight::recorder {
namespace {

std::string Failed(std::string_view what, const std::string& path, int error) {
  char text[128];
  // The GNU variant: returns the text, which need not be in the buffer.
  return std::string(what) + ' ' + path + ": " + strerror_r(error, text, sizeof text);
}

// Opens the folder `name` in `parent`; `path` is for the sentence.
int OpenOwn(int parent, const char* name, const std::string& path, std::string* why) {
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) {
    *why = Failed("Can't make the folder", path, errno);
    return -1;
  }
  const int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) {
    const int error = errno;
    struct stat found = {};
    if (fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(found.st_mode)) {
      *why = path + " is not a folder but a " +
             (S_ISLNK(found.st_mode) ? "symbolic link" : "file") + "; remove it.";
    } else {
      *why = Failed("Can't open the folder", path, error);
    }
    return -1;
  }
  struct stat found = {};
  if (fstat(folder, &found) != 0) {
    *why = Failed("Can't look at the folder", path, errno);
  } else if (found.st_uid != geteuid()) {
    *why = path + " belongs to user " + std::to_string(found.st_uid) + " instead of " +
           std::to_string(geteuid()) + "; remove it, or set TMPDIR to another folder.";
  } else if ((found.st_mode & 022) != 0) {
    *why = path + " can be written by others; chmod it to 700.";
  } else {
    return folder;
  }
  close(folder);
  return -1;
}

}  // namespace

int OpenPrivateFolder(std::string_view tmp, std::string_view name, std::string* why) {
  // A person's TMPDIR may be a symbolic link; what lies in it may not.
  const std::string root(tmp);
  const int parent = open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) {
    *why = Failed("Can't open the folder", root, errno);
    return -1;
  }
  const std::string user_path = contract::UserFolder(tmp, geteuid());
  const std::string user_name = user_path.substr(user_path.rfind('/') + 1);
  const int user = OpenOwn(parent, user_name.c_str(), user_path, why);
  close(parent);
  if (user < 0) return -1;
  const std::string inner(name);
  const int folder = OpenOwn(user, inner.c_str(), user_path + '/' + inner, why);
  close(user);
  return folder;
}

}  // namespace hindsight::recorder
