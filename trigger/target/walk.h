// Resolves a path as another process does: from its root folder, including absolute symbolic links,
// with the steps on the way.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "trigger/unique_fd.h"

namespace hindsight::trigger {

struct WalkStep {
  std::string path;  // as that process would write it, without symbolic links
  struct stat info = {};
  bool read_only = false;  // it is mounted so
};

struct Walk {
  std::vector<WalkStep>
      steps;        // the root folder, each folder entered, and finally the target itself
  UniqueFd target;  // O_PATH; none if the walk failed
  int error = 0;    // errno of the step that failed, whose path is `failed_at`
  std::string failed_at;
};

// `path` is absolute. `root` is an open folder.
Walk WalkFrom(int root, const std::string& path);

}  // namespace hindsight::trigger
