#include "recorder/output/recording_folder.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>
#include <vector>

#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

constexpr int kMaxSymbolicLinks = 40;  // on the way to the output folder, like the kernel
constexpr size_t kMaxLevels = 256;
constexpr mode_t kPrivateFolder = 0700;

// What is required of one level of the output path.
enum class Rule {
  kExisting,   // belongs to anyone; a symbolic link is followed if it belongs to root or to us
  kCreatable,  // the same, and created if missing
  kOutput,     // created if missing; root's or ours, writable by everyone only with the sticky bit
  kPrivate,    // created if missing; root's or ours, writable by no other user
};

struct Level {
  std::string name;
  Rule rule;
};

// Appends the levels of `path` to `levels`, without empty ones and ".".
void Split(std::string_view path, Rule rule, std::vector<Level>& levels) {
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (!name.empty() && name != ".") levels.push_back({std::string(name), rule});
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
  }
}

std::string User(uid_t uid) { return uid == 0 ? "root" : "user " + std::to_string(uid); }

bool IsTrusted(const struct stat& status) {
  return status.st_uid == 0 || status.st_uid == geteuid();
}

// Walks from / to the output folder, level by level. Nothing is ever looked up twice by name.
class Walk {
 public:
  Walk(const FolderRequest& request, std::string* why) : request_(request), why_(why) {}

  Descriptor Run() {
    if (!Prepare()) return {};
    here_ = Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!here_) return Refuse("/", ErrorText(errno), "set output= to another folder");
    while (!levels_.empty()) {
      const Level level = std::move(levels_.back());
      levels_.pop_back();
      if (!Enter(level)) return {};
    }
    return std::move(here_);
  }

 private:
  bool Prepare() {
    if (request_.output.empty() || request_.output[0] != '/') {
      Refuse(request_.output, "it is not an absolute path",
             "set output= to a path that begins with /");
      return false;
    }
    Split(request_.output, request_.is_default ? Rule::kExisting : Rule::kCreatable, levels_);
    if (request_.output.size() >= PATH_MAX || levels_.size() > kMaxLevels) {
      Refuse(request_.output, "the path is too long", "set output= to a shorter one");
      return false;
    }
    const size_t own = request_.is_default ? 2 : 1;
    for (size_t i = levels_.size() - std::min(own, levels_.size()); i < levels_.size(); ++i) {
      levels_[i].rule = request_.is_default ? Rule::kPrivate : Rule::kOutput;
    }
    for (const Level& level : levels_) {
      if (level.name == "..") {
        Refuse(request_.output, "the path contains ..", "set output= to a path without it");
        return false;
      }
    }
    std::reverse(levels_.begin(), levels_.end());  // the next level is the last
    return true;
  }

  bool Enter(const Level& level) {
    const std::string path = path_ + "/" + level.name;
    Descriptor next = Open(level.name);
    if (!next && errno == ENOENT && level.rule != Rule::kExisting) {
      if (mkdirat(here_.get(), level.name.c_str(), kPrivateFolder) != 0 && errno != EEXIST) {
        return Fail(path, "it does not exist and cannot be created (" + ErrorText(errno) + ")",
                    "create it, or set output= to a folder that this process may write to");
      }
      next = Open(level.name);
      if (next) MakePrivateFolder(next.get());
    }
    struct stat status;
    if (!next || fstat(next.get(), &status) != 0) {
      return Fail(path, ErrorText(errno), "set output= to a folder that this process can reach");
    }
    if (S_ISLNK(status.st_mode)) return Follow(level, path, next, status);
    if (!S_ISDIR(status.st_mode)) {
      return Fail(path, "it is not a folder", "set output= to a folder");
    }
    if (!IsAcceptable(level.rule, path, status)) return false;
    here_ = std::move(next);
    path_ = path;
    return true;
  }

  // Opens the level itself, even if it is a symbolic link. With O_DIRECTORY first, because that
  // triggers an automount.
  Descriptor Open(const std::string& name) {
    constexpr int kFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    const int folder = openat(here_.get(), name.c_str(), kFlags | O_DIRECTORY);
    if (folder >= 0 || (errno != ENOTDIR && errno != ELOOP)) return Descriptor(folder);
    return Descriptor(openat(here_.get(), name.c_str(), kFlags));
  }

  bool Follow(const Level& level, const std::string& path, const Descriptor& link,
              const struct stat& status) {
    if (level.rule == Rule::kPrivate || level.rule == Rule::kOutput) {
      return Fail(path, "it is a symbolic link (of " + User(status.st_uid) + ")",
                  level.rule == Rule::kPrivate ? "remove it, or set output= to a folder of your own"
                                               : "set output= to the folder that it points to");
    }
    if (!IsTrusted(status)) {
      return Fail(path, "it is a symbolic link that belongs to " + User(status.st_uid),
                  "set output= to a path without it");
    }
    char target[PATH_MAX];
    const ssize_t length = readlinkat(link.get(), "", target, sizeof target);
    if (length <= 0 || length == sizeof target || ++links_ > kMaxSymbolicLinks) {
      return Fail(path, "the symbolic link cannot be followed", "set output= to a path without it");
    }
    const std::string_view text(target, static_cast<size_t>(length));
    if (text[0] == '/') {
      here_ = Descriptor(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
      path_.clear();
      if (!here_) return Fail("/", ErrorText(errno), "set output= to another folder");
    }
    std::vector<Level> inside;
    Split(text, level.rule, inside);
    levels_.insert(levels_.end(), std::make_move_iterator(inside.rbegin()),
                   std::make_move_iterator(inside.rend()));
    return true;
  }

  bool IsAcceptable(Rule rule, const std::string& path, const struct stat& status) {
    if (rule == Rule::kExisting || rule == Rule::kCreatable) return true;
    if (!IsTrusted(status)) {
      return Fail(
          path, "it belongs to " + User(status.st_uid) + ", and this process is " + User(geteuid()),
          "set output= to a folder of " + User(geteuid()));
    }
    const bool is_shared = rule == Rule::kPrivate
                               ? (status.st_mode & (S_IWGRP | S_IWOTH)) != 0
                               : (status.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH;
    if (!is_shared) return true;
    return Fail(path, "others may write to it",
                rule == Rule::kPrivate
                    ? "chmod it to 0700"
                    : "chmod it (o-w or +t), or set output= to a new folder in it");
  }

  Descriptor Refuse(const std::string& path, const std::string& what, const std::string& advice) {
    *why_ = "cannot record to " + request_.output +
            (path == request_.output ? ": " : ": " + path + ": ") + what + "; " + advice;
    return {};
  }
  bool Fail(const std::string& path, const std::string& what, const std::string& advice) {
    Refuse(path, what, advice);
    return false;
  }

  const FolderRequest& request_;
  std::string* why_;
  std::vector<Level> levels_;  // still to be entered, in reverse
  Descriptor here_;
  std::string path_;  // of here_; empty for /
  int links_ = 0;
};

std::string WithoutTrailingSlashes(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

bool RecordingFolder::Create(const FolderRequest& request, std::string* why) {
  const Descriptor output = Walk(request, why).Run();
  if (!output) return false;

  FolderNames names(request);
  const auto fail = [&](const std::string& name, const std::string& what) {
    *why = names.WhyNot(name, what);
    return false;
  };
  for (std::string name = names.Next(); !name.empty(); name = names.Next()) {
    if (mkdirat(output.get(), name.c_str(), kPrivateFolder) != 0) {
      if (errno == EEXIST) continue;
      return fail(name, ErrorText(errno));
    }
    // Without read permission for its owner it can only be opened this way.
    const Descriptor made(
        openat(output.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (made) MakePrivateFolder(made.get());
    Descriptor folder(made ? openat(made.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    struct stat status;
    if (!folder || fstat(folder.get(), &status) != 0) {
      const std::string what = ErrorText(errno);
      unlinkat(output.get(), name.c_str(), AT_REMOVEDIR);
      return fail(name, what);
    }
    if (status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
      return fail(name, "it was created as a folder of " + User(status.st_uid) +
                            " that is not private; the file system changes owners or modes");
    }
    folder_ = std::move(folder);
    path_ = WithoutTrailingSlashes(request.output) + "/" + name;
    return true;
  }
  *why = names.WhyAllAreTaken();
  return false;
}

}  // namespace hindsight::recorder
