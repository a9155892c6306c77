// A copy of our library inside the mounts of a process that does not see ours: usually a container.
//
// It is in a folder of its own with a name that nobody can guess, created and filled through
// descriptors, so that nothing in there can redirect us; in the end it belongs to the process's
// user, and only that user can read it. Both are removed with this object: the process has mapped
// the library by then, and keeps it. They are also removed if the trigger is interrupted.
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

  // `library` is one of our paths. Fails with every folder that was tried, and why. One at a time.
  static Expected<std::shared_ptr<BroughtLibrary>> Bring(const Process& process,
                                                         const std::string& library);

  const std::string& path() const { return path_; }  // as the process sees it

 private:
  BroughtLibrary() = default;
  std::string path_;
};

// Prefix of the folder's name.
inline constexpr char kBroughtPrefix[] = "hindsight-lib-";

}  // namespace hindsight::trigger
