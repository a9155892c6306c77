// For containers that have only this program: no shell, no cp, no sleep.
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "recorder/contract/text.h"
#include "trigger/commands/commands.h"
#include "trigger/preflight/preflight.h"
#include "trigger/report.h"
#include "trigger/unique_fd.h"
#include "trigger/write_all.h"

namespace hindsight::trigger {
namespace {

// Written under another name until it is complete, and then renamed: a process may have the old one
// mapped.
TriggerExit CopyLibrary(const std::string& folder) {
  const Expected<std::string> library = FindLibrary();
  if (!library) return Report(library.failure(), false);
  const std::string name = library->substr(library->rfind('/') + 1);
  const std::string path = folder + '/' + name;
  std::string part = folder + "/." + name + ".XXXXXX";
  const UniqueFd from(open(library->c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd to(from ? mkostemp(part.data(), O_CLOEXEC) : -1);
  const bool copied = to && CopyAll(from.get(), to.get()) && fchmod(to.get(), 0755) == 0 &&
                      fsync(to.get()) == 0 && rename(part.c_str(), path.c_str()) == 0;
  if (!copied) {
    const int error = errno;
    if (to) unlink(part.c_str());
    return Report({TriggerExit::kInternal,
                   "Cannot copy " + *library + " to " + contract::Printable(path) + ": " +
                       std::strerror(error) + '.',
                   "Nothing was changed. Give a folder that exists and is writable."},
                  false);
  }
  std::printf("%s\n", contract::Printable(path).c_str());
  return TriggerExit::kOk;
}

// As the first process of a pid namespace, it has no default actions for signals, and becomes the
// parent of orphaned processes.
TriggerExit Idle() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  int signal = SIGCHLD;
  while (signal == SIGCHLD) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (sigwait(&set, &signal) != 0) return TriggerExit::kInternal;
  }
  return TriggerExit::kOk;
}

}  // namespace

void DescribeCopyLibrary(cli::Command& command) {
  const auto folder = std::make_shared<std::string>();
  command.Argument("FOLDER", *folder, "Folder that receives libhindsight.so")
      .Offers(cli::Offer::kFolder);
  command.Note(
      "For an init container whose image has only this program and the library. The library in the "
      "folder is replaced by renaming, which is safe for processes that have it mapped.");
  command.Example("hindsight-trigger copy-library /hindsight",
                  "into a volume that the application's container mounts, too");
  command.SeeAlso({"hindsight-trigger launch", "hindsight-trigger idle"});
  command.Runs([folder] { return CopyLibrary(*folder); });
}

void DescribeIdle(cli::Command& command) {
  command.Note(
      "For a sidecar or debug container whose image has no shell: keeps the container running, so "
      "that commands can be executed in it.");
  command.Example("hindsight-trigger idle", "until SIGTERM");
  command.SeeAlso({"hindsight-trigger copy-library", "hindsight-trigger attach"});
  command.Runs([] { return Idle(); });
}

}  // namespace hindsight::trigger
