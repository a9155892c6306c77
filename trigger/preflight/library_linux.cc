#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "trigger/preflight/preflight.h"
#include "trigger/target/elf.h"
#include "trigger/target/mapped_library.h"
#include "trigger/target/proc_linux.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

constexpr char kLibraryName[] = "libhindsight.so";

// The kernel's rule for a process without capabilities: exactly one class of permission bits
// applies.
bool Permits(const Process& process, const struct stat& info, mode_t bit) {
  if (process.uid == 0) return true;
  if (info.st_uid == process.uid) return (info.st_mode & (bit << 6)) != 0;
  const bool member =
      info.st_gid == process.gid ||
      std::find(process.groups.begin(), process.groups.end(), info.st_gid) != process.groups.end();
  return (info.st_mode & (member ? bit << 3 : bit)) != 0;
}

// Who else could change what is at this step: the end of a sentence, or empty.
std::string WritableBy(const Process& process, const WalkStep& step) {
  const struct stat& info = step.info;
  if (info.st_uid != 0 && info.st_uid != process.uid) {
    return "belongs to " + UserName(info.st_uid);
  }
  // A Kubernetes volume is writable by everyone. If it is mounted read-only, root did that, and
  // decided that it can only be written through other mounts.
  if (step.read_only) return {};
  // In a sticky folder, such as /tmp, others can add files but not replace ours.
  if (S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0) return {};
  if ((info.st_mode & S_IWOTH) != 0) return "is world-writable";
  // A group with the same number as its owner is the private group that many systems give each
  // user.
  if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0 && info.st_gid != info.st_uid) {
    return "is writable by the group " + std::to_string(info.st_gid);
  }
  return {};
}

std::string Seen(const Process& process) {
  return process.other_mounts
             ? " as process " + std::to_string(process.pid) + " sees it, in its own mount namespace"
             : "";
}

Failure Missing(const Process& process, const std::string& path, const Walk& walk) {
  const std::string what = "There is no " + path + Seen(process) + ": " + walk.failed_at + ": " +
                           std::strerror(walk.error) + '.';
  if (!process.other_mounts) {
    return {TriggerExit::kLibraryMissing, what,
            "Give the path of libhindsight.so with --profiler, or put it next to hindsight-trigger "
            "or into ../lib."};
  }
  return {TriggerExit::kLibraryMissing, what,
          "Copy or mount the library into that container, and give its path there: --profiler "
          "PATH. From here, its files are in /proc/" +
              std::to_string(process.pid) + "/root."};
}

// What the process runs as: the architecture of its runtime, which loads the library. The program
// itself may be an emulator, as where arm64 containers run on x64. Empty: unknown.
std::optional<ElfFacts> RuntimeOf(const Process& process) {
  if (process.runtime_path.size() > 1) {
    const UniqueFd runtime(
        openat(process.root.get(), process.runtime_path.c_str() + 1, O_RDONLY | O_CLOEXEC));
    const std::optional<ElfFacts> facts = runtime ? ReadElf(runtime.get()) : std::nullopt;
    if (facts) return facts;
  }
  const UniqueFd program(
      open(("/proc/" + std::to_string(process.pid) + "/exe").c_str(), O_RDONLY | O_CLOEXEC));
  return program ? ReadElf(program.get()) : std::nullopt;
}

Check CheckBuild(const Process& process, const std::string& path, const Walk& walk) {
  // Through /proc, because the target was opened with O_PATH.
  const std::string self = "/proc/self/fd/" + std::to_string(walk.target.get());
  const UniqueFd file(open(self.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return Failure{TriggerExit::kLibraryUnreadable,
                   path + " cannot be read: " + std::strerror(errno) + '.',
                   "Make it world-readable: chmod 755."};
  }
  const std::optional<ElfFacts> library = ReadElf(file.get());
  if (!library || !library->shared || !library->interpreter.empty()) {
    return Failure{TriggerExit::kLibraryNotALibrary, path + " is not a shared library.",
                   "Give the path of libhindsight.so with --profiler."};
  }
  if (!library->IsWhole()) {
    const bool is_short = library->file_bytes < library->needed_bytes;
    return Failure{TriggerExit::kLibraryDamaged,
                   path + " is incomplete: " +
                       (is_short ? "it has " + std::to_string(library->file_bytes) + " of " +
                                       std::to_string(library->needed_bytes) + " bytes."
                                 : "its end is empty."),
                   "Copy it again, completely; loading a truncated library crashes the process."};
  }
  const std::optional<ElfFacts> host = RuntimeOf(process);
  if (host && (host->machine != library->machine || host->is64 != library->is64)) {
    return Failure{TriggerExit::kArchitecture,
                   path + " is built for " + MachineName(library->machine) + ", and process " +
                       std::to_string(process.pid) + " runs as " + MachineName(host->machine) + '.',
                   "Use the build of Hindsight for that architecture."};
  }
  const bool musl_process = process.musl && !process.glibc;
  const bool glibc_process = process.glibc && !process.musl;
  if ((musl_process && library->NeedsGlibc()) || (glibc_process && library->NeedsMusl())) {
    return Failure{TriggerExit::kLibc,
                   path + " is built for " + (musl_process ? "glibc" : "musl") + ", and process " +
                       std::to_string(process.pid) + " runs on " +
                       (musl_process ? "musl" : "glibc") + '.',
                   "Use the build of Hindsight for that C library."};
  }
  return std::nullopt;
}

}  // namespace

Check CheckLibrary(const Process& process, const std::string& path) {
  if (!path.starts_with('/')) {
    return Failure{
        TriggerExit::kLibraryPath,
        "The path " + path + " is relative, and the process has a different working directory.",
        "Give an absolute path with --profiler."};
  }
  if (path.size() >= PATH_MAX) {
    return Failure{TriggerExit::kLibraryPath,
                   "The profiler's path has " + std::to_string(path.size()) +
                       " bytes, and the system allows " + std::to_string(PATH_MAX - 1) + '.',
                   "Put the library into a folder with a shorter path."};
  }
  const Walk walk = WalkFrom(process.root.get(), path);
  // What was found before a failure says more than the failure.
  const size_t folders = walk.target ? walk.steps.size() - 1 : walk.steps.size();
  for (size_t i = 0; i < folders; ++i) {
    if (S_ISDIR(walk.steps[i].info.st_mode) && !Permits(process, walk.steps[i].info, 1)) {
      return Failure{
          TriggerExit::kLibraryUnreadable,
          "The process's user " + UserName(process.uid) + " may not enter " + walk.steps[i].path +
              ", on the way to " + path + '.',
          "Make the folder searchable (chmod o+x), or put the library elsewhere, such as "
          "/usr/local/lib."};
    }
  }
  if (!walk.target) return Missing(process, path, walk);

  const WalkStep& target = walk.steps.back();
  if (!S_ISREG(target.info.st_mode)) {
    return Failure{TriggerExit::kLibraryNotALibrary,
                   path + " is a " + (S_ISDIR(target.info.st_mode) ? "folder" : "special file") +
                       ", not a library.",
                   "Give the path of libhindsight.so itself with --profiler."};
  }
  if (!Permits(process, target.info, 4)) {
    return Failure{TriggerExit::kLibraryUnreadable,
                   "The process's user " + UserName(process.uid) + " may not read " + path + '.',
                   "Make it world-readable: chmod o+r."};
  }
  if (Check wrong = CheckBuild(process, path, walk)) return wrong;
  for (const WalkStep& step : walk.steps) {
    if (const std::string by = WritableBy(process, step); !by.empty()) {
      return Failure{TriggerExit::kLibraryUnsafe,
                     step.path + ' ' + by +
                         ", so another user could choose what runs inside process " +
                         std::to_string(process.pid) + '.',
                     "Put the library where only root or " + UserName(process.uid) +
                         " can write, such as /usr/local/lib."};
    }
  }
  return std::nullopt;
}

Check CheckMapped(const Process& process, const std::string& path) {
  const Walk walk = WalkFrom(process.root.get(), path);
  const WalkStep* file = walk.target ? &walk.steps.back() : nullptr;
  const std::vector<LoadedLibrary> loaded = FindLoaded(process);
  for (const MappedLibrary& mapped : FindMapped(process, {})) {
    const auto entry =
        std::find_if(loaded.begin(), loaded.end(), [&](const LoadedLibrary& library) {
          return std::any_of(mapped.parts.begin(), mapped.parts.end(), [&](const auto& part) {
            return part.begin <= library.address && library.address < part.end;
          });
        });
    const bool same_file =
        mapped.path == path ||
        (file != nullptr &&
         (mapped.path == file->path || (!mapped.deleted && mapped.device == file->info.st_dev &&
                                        mapped.inode == file->info.st_ino)));
    const bool is_loaded = entry != loaded.end();
    if (!is_loaded && !same_file) continue;
    const bool same = same_file || entry->name == path;
    const std::string damage = DamageOf(process, mapped, same);
    if (damage.empty()) continue;
    return Failure{
        TriggerExit::kLibraryDamaged, mapped.path + ' ' + damage + '.',
        "Process " + std::to_string(process.pid) +
            " cannot safely load any library anymore: restart it before recording it. Always "
            "replace a library by renaming a new file over it (mv), never with cp."};
  }
  return std::nullopt;
}

Expected<std::string> FindLibrary() {
  char text[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", text, sizeof text);
  const std::string self(text, size > 0 ? static_cast<size_t>(size) : 0);
  const std::string folder = self.substr(0, self.rfind('/') + 1);
  std::string parent = folder.substr(0, folder.size() > 1 ? folder.size() - 1 : 0);
  parent = parent.substr(0, parent.rfind('/') + 1);
  for (const std::string& path : {folder + kLibraryName, parent + "lib/" + kLibraryName}) {
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return Failure{
      TriggerExit::kLibraryMissing,
      std::string(kLibraryName) + " is neither in " + folder + " nor in " + parent + "lib/.",
      "Give its path with --profiler."};
}

}  // namespace hindsight::trigger
