#include "trigger/target/walk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <deque>
#include <string_view>

namespace hindsight::trigger {
namespace {

constexpr int kMaxSymlinks = 40;  // as in the kernel

void PushFront(std::deque<std::string>& parts, std::string_view path) {
  std::deque<std::string> added;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (!part.empty() && part != ".") added.emplace_back(part);
  }
  parts.insert(parts.begin(), added.begin(), added.end());
}

std::string Join(const std::string& folder, const std::string& name) {
  return folder == "/" ? folder + name : folder + '/' + name;
}

}  // namespace

Walk WalkFrom(int root, const std::string& path) {
  Walk walk;
  const auto fail = [&walk](int error, std::string at) {
    walk.error = error;
    walk.failed_at = std::move(at);
    walk.target.reset();
  };
  struct Place {
    UniqueFd fd;
    std::string path;
  };
  std::vector<Place> stack;  // from the root to the current folder
  const auto enter = [&](UniqueFd fd, std::string where) {
    WalkStep step;
    step.path = where;
    struct statvfs system = {};
    if (fstat(fd.get(), &step.info) != 0) return false;
    step.read_only = fstatvfs(fd.get(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
    walk.steps.push_back(std::move(step));
    stack.push_back({std::move(fd), std::move(where)});
    return true;
  };

  if (!enter(UniqueFd(fcntl(root, F_DUPFD_CLOEXEC, 0)), "/")) {
    fail(errno, "/");
    return walk;
  }
  std::deque<std::string> parts;
  PushFront(parts, path);
  int symlinks = 0;
  while (!parts.empty()) {
    const std::string part = std::move(parts.front());
    parts.pop_front();
    if (part == "..") {
      if (stack.size() > 1) stack.pop_back();
      continue;
    }
    const Place& here = stack.back();
    const std::string where = Join(here.path, part);
    UniqueFd next(openat(here.fd.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info = {};
    if (!next || fstat(next.get(), &info) != 0) {
      fail(errno, where);
      return walk;
    }
    if (S_ISLNK(info.st_mode)) {
      char text[PATH_MAX];
      const ssize_t size = readlinkat(next.get(), "", text, sizeof text);
      if (size < 0 || ++symlinks > kMaxSymlinks) {
        fail(size < 0 ? errno : ELOOP, where);
        return walk;
      }
      const std::string_view link(text, static_cast<size_t>(size));
      if (link.starts_with('/')) stack.erase(stack.begin() + 1, stack.end());
      PushFront(parts, link);
      continue;
    }
    if (!enter(std::move(next), where)) {
      fail(errno, where);
      return walk;
    }
  }
  walk.target = std::move(stack.back().fd);
  return walk;
}

}  // namespace hindsight::trigger
