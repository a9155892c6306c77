#include <windows.h>

#include <winternl.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "recorder/base/security_windows.h"
#include "recorder/output/open_windows.h"
#include "recorder/output/recording_folder.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr size_t kMaxLevels = 256;
constexpr uint32_t kAccess =
    FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES | READ_CONTROL;
constexpr uint32_t kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr uint32_t kFolder = FILE_DIRECTORY_FILE | FILE_SYNCHRONOUS_IO_NONALERT;

OpenRequest Existing() {
  return {.access = kAccess, .share = kShare, .disposition = FILE_OPEN, .options = kFolder};
}

OpenRequest New(const OnlyOwner& owner) {
  return {.access = kAccess,
          .share = kShare,
          .disposition = FILE_CREATE,
          .options = kFolder,
          .security = owner.descriptor()};
}

bool IsSeparator(char c) { return c == '\\' || c == '/'; }

// A path for the NT API: where it begins, and the levels below. False: not absolute.
struct Place {
  std::string root;  // \??\C:\ or \??\UNC\server\share
  std::vector<std::string> levels;
};

bool Split(std::string_view path, Place& place) {
  if (path.size() >= 3 && path[1] == ':' && IsSeparator(path[2])) {
    place.root = "\\??\\" + std::string(path.substr(0, 2)) + "\\";
    path.remove_prefix(3);
  } else if (path.size() > 2 && IsSeparator(path[0]) && IsSeparator(path[1])) {
    place.root = "\\??\\UNC";
    path.remove_prefix(2);
  } else {
    return false;
  }
  size_t in_root = place.root.ends_with('\\') ? 0 : 2;
  while (!path.empty()) {
    size_t end = 0;
    while (end < path.size() && !IsSeparator(path[end])) ++end;
    const std::string level(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (level.empty() || level == ".") continue;
    if (in_root > 0) {
      place.root += '\\' + level;
      if (--in_root == 0) place.root += '\\';
    } else {
      place.levels.push_back(level);
    }
  }
  return in_root == 0 && place.levels.size() <= kMaxLevels;
}

// Creates missing levels, accessible to the process's user alone, and enters one after the other.
// Nothing is ever looked up twice by name. The last level, in the default location the last two,
// must not be a link and must belong to the user or to administrators.
class Walk {
 public:
  Walk(const FolderRequest& request, std::string* why) : request_(request), why_(why) {}

  Descriptor Run() {
    Place place;
    if (!Split(request_.output, place)) {
      return Refuse("it is not an absolute path", "set output= to a path like C:\\recordings");
    }
    for (const std::string& level : place.levels) {
      if (level == "..") {
        return Refuse("the path contains ..", "set output= to a path without it");
      }
    }
    here_ = OpenIn(-1, place.root, Existing());
    if (!here_) return Refuse(ErrorText(errno), "set output= to another folder");
    const size_t own = request_.is_default ? 2 : 1;
    for (size_t i = 0; i < place.levels.size(); ++i) {
      if (!Enter(place.levels[i], i + own >= place.levels.size())) return {};
    }
    return std::move(here_);
  }

 private:
  bool Enter(const std::string& level, bool is_ours) {
    Descriptor next = OpenIn(here_.get(), level, Existing());
    if (!next && errno == ENOENT) next = Make(level);
    if (!next) {
      Refuse(ErrorText(errno) + " (" + level + ")",
             "create it, or set output= to a folder that this process may write to");
      return false;
    }
    if (LeadsElsewhere(next.get())) {
      if (is_ours) {
        Refuse(level + " is a link", "set output= to the folder that it leads to");
        return false;
      }
      next = Follow(next, level);
      if (!next) return false;
    }
    if (is_ours && !BelongsToUs(next.get())) {
      Refuse(level + " belongs to another user", "set output= to a folder of your own");
      return false;
    }
    here_ = std::move(next);
    return true;
  }

  Descriptor Make(const std::string& level) {
    const OnlyOwner owner;
    if (owner.descriptor() == nullptr) {
      errno = EACCES;
      return {};
    }
    Descriptor made = OpenIn(here_.get(), level, New(owner));
    // Another process may have been first.
    if (!made && errno == EEXIST) {
      made = OpenIn(here_.get(), level, Existing());
    }
    return made;
  }

  // On Windows anyone can create junctions: one is followed if it is ours or an administrator's.
  Descriptor Follow(const Descriptor& link, const std::string& level) {
    if (!BelongsToUs(link.get())) {
      return Refuse("the link " + level + " belongs to another user",
                    "set output= to a path without it");
    }
    Descriptor target = OpenIn(here_.get(), level,
                               {.access = kAccess,
                                .share = kShare,
                                .disposition = FILE_OPEN,
                                .options = kFolder,
                                .follow = true});
    if (!target) Refuse(ErrorText(errno), "set output= to a path without links");
    return target;
  }

  Descriptor Refuse(const std::string& what, const std::string& advice) {
    *why_ = "cannot record to " + request_.output + ": " + what + "; " + advice;
    return {};
  }

  const FolderRequest& request_;
  std::string* why_;
  Descriptor here_;
};

}  // namespace

bool RecordingFolder::Create(const FolderRequest& request, std::string* why) {
  const Descriptor output = Walk(request, why).Run();
  if (!output) return false;

  FolderNames names(request);
  const auto fail = [&](const std::string& name, const std::string& what) {
    *why = names.WhyNot(name, what);
    return false;
  };
  const OnlyOwner owner;
  if (owner.descriptor() == nullptr)
    return fail(names.base(), "the user of this process is not known");
  for (std::string name = names.Next(); !name.empty(); name = names.Next()) {
    Descriptor made = OpenIn(output.get(), name, New(owner));
    if (!made) {
      if (errno == EEXIST) continue;
      return fail(name, ErrorText(errno));
    }
    folder_ = std::move(made);
    path_ = request.output;
    while (!path_.empty() && IsSeparator(path_.back())) path_.pop_back();
    path_ += '\\' + name;
    return true;
  }
  *why = names.WhyAllAreTaken();
  return false;
}

}  // namespace hindsight::recorder
