#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

constexpr uid_t kNobody = 65534;
constexpr int kCannotStart = 127;

[[noreturn]] void Become(const std::vector<std::string>& command, const std::string& out,
                         const std::string& err, bool as_nobody) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const int in_fd = open("/dev/null", O_RDONLY);
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(in_fd, STDIN_FILENO);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  if (as_nobody && geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
    _exit(kCannotStart);
  }
  execvp(arguments[0], arguments.data());
  _exit(kCannotStart);
}

}  // namespace

RunResult RunProgram(const std::vector<std::string>& command, bool as_nobody) {
  const TempDir dir;
  const std::string out = dir / "out";
  const std::string err = dir / "err";
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot fork");
  if (pid == 0) Become(command, out, err, as_nobody);
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) throw std::runtime_error("cannot wait");
  RunResult result;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (result.exit_code == kCannotStart) throw std::runtime_error("cannot start " + command[0]);
  result.out = ReadFile(out);
  result.err = ReadFile(err);
  result.max_rss_kib = usage.ru_maxrss;
  return result;
}

}  // namespace hindsight::testing
