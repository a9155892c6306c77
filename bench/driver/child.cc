#include "bench/driver/child.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>

namespace hindsight::bench {

Measured RunChild(const std::vector<std::string>& arguments, const Environment& environment) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  Measured measured;
  std::array<int, 2> pipe_ends;
  if (pipe(pipe_ends.data()) != 0) return measured;
  const auto start = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    dup2(pipe_ends[1], STDOUT_FILENO);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  std::array<char, 4096> buffer;
  for (ssize_t got; pid > 0 && (got = read(pipe_ends[0], buffer.data(), buffer.size())) > 0;) {
    measured.output.append(buffer.data(), static_cast<size_t>(got));
  }
  close(pipe_ends[0]);

  int status = 0;
  rusage usage{};
  if (pid > 0 && wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status)) {
    measured.exit_code = WEXITSTATUS(status);
  }
  measured.wall_ns = static_cast<uint64_t>((std::chrono::steady_clock::now() - start) /
                                           std::chrono::nanoseconds(1));
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<uint64_t>(time.tv_usec) * 1000u;
  };
  measured.cpu_ns = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
  measured.max_rss_bytes = static_cast<uint64_t>(usage.ru_maxrss) << 10;
  return measured;
}

}  // namespace hindsight::bench
