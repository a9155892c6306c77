#include "trigger/preflight/brought_library.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "recorder/contract/control.h"
#include "trigger/preflight/preflight.h"
#include "trigger/target/proc_linux.h"
#include "trigger/target/walk.h"
#include "trigger/write_all.h"

namespace hindsight::trigger {
namespace {

constexpr char kName[] = "libhindsight.so";
constexpr char kPartName[] = "libhindsight.so.part";  // until it is complete

// What has to be removed, possibly by a signal handler.
struct Made {
  int parent = -1;
  int folder = -1;
  char name[64] = {};
};
Made made;  // one at a time

void Remove() {
  if (made.parent < 0) return;
  if (made.folder >= 0) {
    unlinkat(made.folder, kName, 0);
    unlinkat(made.folder, kPartName, 0);
  }
  unlinkat(made.parent, made.name, AT_REMOVEDIR);
}

void RemoveAndEnd(int signal) {
  Remove();
  // Installed with SA_RESETHAND: this ends the process.
  raise(signal);
}

void Forget() {
  Remove();
  if (made.folder >= 0) close(made.folder);
  if (made.parent >= 0) close(made.parent);
  made = {};
}

// Why the folder `path` of the process cannot hold a library to be mapped; empty: it can. `parent`
// is then open.
std::string OpenParent(const Process& process, const std::string& path, std::string* resolved) {
  Walk walk = WalkFrom(process.root.get(), path);
  if (!walk.target) return std::strerror(walk.error);
  struct statvfs system = {};
  if (!S_ISDIR(walk.steps.back().info.st_mode)) return "is not a folder";
  if (fstatvfs(walk.target.get(), &system) != 0) return std::strerror(errno);
  if ((system.f_flag & ST_RDONLY) != 0) return "is mounted read-only";
  if ((system.f_flag & ST_NOEXEC) != 0) return "is mounted with noexec";
  made.parent = fcntl(walk.target.get(), F_DUPFD_CLOEXEC, 0);
  if (made.parent < 0) return std::strerror(errno);
  *resolved = walk.steps.back().path;
  return {};
}

std::string MakeFolder() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return std::strerror(errno);
  std::snprintf(made.name, sizeof made.name, "%s%016llx", kBroughtPrefix,
                static_cast<unsigned long long>(number));
  if (mkdirat(made.parent, made.name, 0700) != 0) {
    const std::string why = std::strerror(errno);
    made.name[0] = '\0';
    return why;
  }
  made.folder = openat(made.parent, made.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info = {};
  if (made.folder < 0 || fstat(made.folder, &info) != 0) return std::strerror(errno);
  if (info.st_uid != geteuid() || (info.st_mode & 077) != 0) {
    return "its file system changes owners or modes";
  }
  return {};
}

std::string Fill(const Process& process, const std::string& library) {
  const UniqueFd from(open(library.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd to(
      openat(made.folder, kPartName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!from || !to || !CopyAll(from.get(), to.get()) || fchmod(to.get(), 0500) != 0 ||
      fsync(to.get()) != 0 || renameat(made.folder, kPartName, made.folder, kName) != 0) {
    return std::strerror(errno);
  }
  if (process.uid == geteuid()) return {};
  // The folder last: until then, only we can access it.
  if (fchown(to.get(), process.uid, process.gid) != 0 ||
      fchown(made.folder, process.uid, process.gid) != 0) {
    return std::string("can't be given to ") + UserName(process.uid) + ": " + std::strerror(errno);
  }
  return {};
}

std::vector<std::string> Candidates(const Process& process) {
  std::vector<std::string> folders = {contract::TemporaryFolder(process.environment)};
  for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm", "/run"}) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) {
      folders.emplace_back(folder);
    }
  }
  return folders;
}

// Removes the files if the user interrupts the program.
void RemoveOnSignals() {
  struct sigaction action = {};
  action.sa_handler = RemoveAndEnd;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    // If it is ignored (nohup), it stays ignored.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
      sigaction(signal, &action, nullptr);
    }
  }
}

}  // namespace

Expected<std::shared_ptr<BroughtLibrary>> BroughtLibrary::Bring(const Process& process,
                                                                const std::string& library) {
  RemoveOnSignals();
  std::shared_ptr<BroughtLibrary> brought(new BroughtLibrary);
  std::string tried;
  for (const std::string& folder : Candidates(process)) {
    Forget();
    std::string resolved;
    std::string why = OpenParent(process, folder, &resolved);
    if (why.empty()) why = MakeFolder();
    if (why.empty()) why = Fill(process, library);
    if (why.empty()) {
      brought->path_ = resolved + (resolved == "/" ? "" : "/") + made.name + '/' + kName;
      const Check wrong = CheckLibrary(process, brought->path_);
      if (!wrong) return brought;
      // What is wrong with the library itself is wrong in any folder.
      if (wrong->code == TriggerExit::kArchitecture || wrong->code == TriggerExit::kLibc ||
          wrong->code == TriggerExit::kLibraryDamaged) {
        return *wrong;
      }
      why = wrong->what;
    }
    tried += (tried.empty() ? "" : "; ") + folder + ": " + why;
  }
  Forget();
  const std::string pid = std::to_string(process.pid);
  return Failure{TriggerExit::kLibraryMissing,
                 "Process " + pid + " has its own mounts, without " + library +
                     ", and the library could not be copied there (" + tried + ").",
                 "Copy or mount the library into that container, and give its path there: "
                 "--profiler PATH. From here, its files are in /proc/" +
                     pid + "/root."};
}

BroughtLibrary::~BroughtLibrary() { Forget(); }

}  // namespace hindsight::trigger
