#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "trigger/target/proc_linux.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {
namespace {

// maps of a large process; anything beyond is ignored
constexpr size_t kMaxProcFileBytes = 64u << 20;

std::string ProcPath(pid_t pid, std::string_view name) {
  return "/proc/" + std::to_string(pid) + '/' + std::string(name);
}

// The numbers in a line of /proc/PID/status.
std::vector<uint64_t> StatusNumbers(std::string_view status, std::string_view key) {
  std::vector<uint64_t> numbers;
  const size_t begin = status.find("\n" + std::string(key) + ":");
  if (begin == std::string_view::npos) return numbers;
  std::string_view line = status.substr(begin + key.size() + 2);
  line = line.substr(0, line.find('\n'));
  while (!line.empty()) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error == std::errc()) {
      numbers.push_back(number);
      line.remove_prefix(static_cast<size_t>(end - line.data()));
    } else {
      line.remove_prefix(1);
    }
  }
  return numbers;
}

// "pid (comm) state ppid ...": comm may contain anything, including blanks and parentheses.
bool ParseStat(std::string_view stat, Process& process) {
  const size_t end = stat.rfind(')');
  if (end == std::string_view::npos || end + 2 >= stat.size()) return false;
  std::string_view rest = stat.substr(end + 2);
  process.state = rest.front();
  constexpr int kFieldsBeforeStart = 19;  // state is field 3, starttime field 22
  for (int i = 0; i < kFieldsBeforeStart; ++i) {
    const size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return false;
    rest.remove_prefix(blank + 1);
  }
  std::from_chars(rest.data(), rest.data() + rest.size(), process.start_ticks);
  return true;
}

void ParseMaps(std::string_view maps, Process& process) {
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const size_t slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    std::string_view path = line.substr(slash);
    constexpr std::string_view kDeleted = " (deleted)";
    if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (name == "libcoreclr.so") process.runtime_path = path;
    if (name.starts_with("ld-musl")) process.musl = true;
    if (name == "libc.so.6" || name.starts_with("ld-linux")) process.glibc = true;
  }
}

bool SameNamespaceFile(const std::string& a, const std::string& b) {
  struct stat first = {};
  struct stat second = {};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

Expected<Process> InspectProcess(int pid) {
  const Failure missing = {TriggerExit::kNoSuchProcess,
                           "There is no process " + std::to_string(pid) + " here.",
                           "See hindsight-trigger list. Use the pid of this pid namespace, not the "
                           "one inside a container."};
  Process process;
  process.pid = pid;
  std::string stat_text;
  std::string status;
  if (pid <= 0 || !ReadProcFile(ProcPath(pid, "stat"), stat_text) ||
      !ParseStat(stat_text, process) || !ReadProcFile(ProcPath(pid, "status"), status)) {
    return missing;
  }
  const std::vector<uint64_t> thread_group = StatusNumbers(status, "Tgid");
  if (!thread_group.empty() && thread_group[0] != static_cast<uint64_t>(pid)) {
    return Failure{
        TriggerExit::kNoSuchProcess,
        std::to_string(pid) + " is a thread of process " + std::to_string(thread_group[0]) + '.',
        "Give the pid of the process."};
  }
  const std::vector<uint64_t> inner = StatusNumbers(status, "NSpid");
  process.inner_pid = inner.empty() ? pid : static_cast<pid_t>(inner.back());
  const std::vector<uint64_t> uids = StatusNumbers(status, "Uid");
  const std::vector<uint64_t> gids = StatusNumbers(status, "Gid");
  if (uids.size() < 2 || gids.size() < 2) return missing;
  process.uid = static_cast<uid_t>(uids[1]);
  process.gid = static_cast<gid_t>(gids[1]);
  for (const uint64_t group : StatusNumbers(status, "Groups")) {
    process.groups.push_back(static_cast<gid_t>(group));
  }
  process.arguments = ArgumentsOf(pid);

  std::string maps;
  if (!ReadProcFile(ProcPath(pid, "maps"), maps) ||
      !ReadProcFile(ProcPath(pid, "environ"), process.environment)) {
    process.hidden = std::strerror(errno);
  }
  ParseMaps(maps, process);
  process.root.reset(open(ProcPath(pid, "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!process.root && process.hidden.empty()) process.hidden = std::strerror(errno);
  process.other_mounts = !SameNamespaceFile(ProcPath(pid, "ns/mnt"), "/proc/self/ns/mnt") ||
                         !SameNamespaceFile(ProcPath(pid, "root"), "/");
  return process;
}

std::vector<std::string> SplitArguments(const std::string& command_line) {
  std::vector<std::string> arguments;
  for (size_t begin = 0; begin < command_line.size();) {
    const size_t end = std::min(command_line.find('\0', begin), command_line.size());
    arguments.push_back(command_line.substr(begin, end - begin));
    begin = end + 1;
  }
  return arguments;
}

std::vector<int> AllProcesses() {
  std::vector<int> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  while (proc != nullptr) {
    const dirent* entry = readdir(proc.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    int pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && end == name.data() + name.size()) pids.push_back(pid);
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::vector<std::string> ArgumentsOf(int pid) {
  std::string line;
  ReadProcFile(ProcPath(pid, "cmdline"), line);
  return SplitArguments(line);
}

int OwnPid() { return getpid(); }

std::string UserOf(const Process& process) { return UserName(process.uid); }

std::string OwnUser() { return UserName(geteuid()); }

// From the file, not by getpwuid: a static program must not load NSS plug-ins.
std::string UserName(uid_t uid) {
  std::string passwd;
  ReadProcFile("/etc/passwd", passwd);
  std::string_view lines = passwd;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const size_t name_end = line.find(':');
    const size_t uid_begin = line.find(':', name_end + 1);
    if (name_end == std::string_view::npos || uid_begin == std::string_view::npos) continue;
    const std::string_view number =
        line.substr(uid_begin + 1, line.find(':', uid_begin + 1) - uid_begin - 1);
    if (number == std::to_string(uid)) return std::string(line.substr(0, name_end));
  }
  return std::to_string(uid);
}

bool ReadProcFile(const std::string& path, std::string& out) {
  out.clear();
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  char buffer[16384];
  while (out.size() < kMaxProcFileBytes) {
    const ssize_t size = read(file.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    if (size == 0) break;
    out.append(buffer, static_cast<size_t>(size));
  }
  return true;
}

}  // namespace hindsight::trigger
