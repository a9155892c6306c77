// A copy of our library inside the mounts of a process that does not see ours: a container, most
// often.
//
// It lies in a folder of its own with a name that nobody can guess, made and filled through
// descriptors, so that nothing in there can lead us elsewhere; at the end it belongs to the
// process's user, who alone can read it. Both are removed when this goes: the process has mapped
// the library by then, and keeps it. A trigger that is interrupted removes them, too.
#pragma once

#include <memory>
#include <string>

#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

class BroughtLibrary {
 public:
  ~BroughtLibrary();
  BroughtLibrary(const BroughtLibrary&) = delete;
  BroughtLibrary& operator=(const BroughtLibrary&) = delete;

  // `library` is a path of ours. Fails with every folder that was tried, and why. One at a time.
  static Result<std::shared_ptr<BroughtLibrary>> Bring(const Process& process,
                                                       const std::string& library);

  const std::string& path() const { return path_; }  // as the process sees it

 private:
  BroughtLibrary() = default;
  std::string path_;
};

// How the folder's name begins.
inline constexpr char kBroughtPrefix[] = "hindsight-lib-";

}  // namespace hindsight::trigger
