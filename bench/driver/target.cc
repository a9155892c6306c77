#include "bench/driver/target.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace hindsight::bench {

Target::Target(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> in, out;
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error("no pipes");
  }
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
  if (pid_ < 0 || ReadLine() != "ready") throw std::runtime_error("the program did not start");
}

Target::~Target() {
  close(to_);  // which ends it
  close(from_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

std::string Target::Ask(const std::string& question) {
  const std::string line = question + "\n";
  if (write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::runtime_error("the program does not listen");
  }
  return ReadLine();
}

std::string Target::ReadLine() {
  size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos) {
    std::array<char, 256> buffer;
    const ssize_t got = read(from_, buffer.data(), buffer.size());
    if (got <= 0) throw std::runtime_error("the program ended early");
    read_.append(buffer.data(), static_cast<size_t>(got));
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace hindsight::bench
