#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "analyzer/base/console.h"
#include "analyzer/base/pager.h"
#include "analyzer/base/terminal.h"

namespace hindsight::analyzer {
namespace {

constexpr int kNoProgram = 127;  // returned by sh if the command is not found

Pager* g_pager = nullptr;  // the current one

std::string ReadAll(int descriptor) {
  std::string text;
  const off_t size = lseek(descriptor, 0, SEEK_END);
  if (size <= 0) return text;
  text.resize(static_cast<size_t>(size));
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got =
        pread(descriptor, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  return text;
}

std::string PagerCommand() {
  const char* const pager = std::getenv("PAGER");
  return pager == nullptr ? "less" : pager;
}

void Page(const std::string& text) {
  const std::string command = PagerCommand();
  int ends[2];
  if (pipe(ends) != 0) {
    WriteTo(STDOUT_FILENO, text);
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("LESS", "FRX", 0);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(kNoProgram);
  }
  close(ends[0]);
  // A user who quits the pager early has seen enough, and Ctrl-C is for the pager.
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto old_interrupt = std::signal(SIGINT, SIG_IGN);
  if (child > 0) WriteTo(ends[1], text);
  close(ends[1]);
  int status = 0;
  const bool has_ended = child > 0 && waitpid(child, &status, 0) == child;
  if (!has_ended || (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram)) {
    WriteTo(STDOUT_FILENO, text);
  }
  std::signal(SIGPIPE, old_pipe);
  std::signal(SIGINT, old_interrupt);
}

}  // namespace

Pager::Pager(bool is_wanted) {
  const std::string command = PagerCommand();
  const Terminal terminal = DetectTerminal(STDOUT_FILENO);
  if (!is_wanted || command.empty() || command == "cat" || !terminal.is_terminal) return;
  held_ = memfd_create("hindsight-output", MFD_CLOEXEC);
  if (held_ < 0) return;
  terminal_ = dup(STDOUT_FILENO);
  if (terminal_ < 0 || dup2(held_, STDOUT_FILENO) < 0) return;
  ActAsTerminal(STDOUT_FILENO, terminal);
  g_pager = this;
}

void Pager::Release() {
  if (g_pager == nullptr) return;
  dup2(g_pager->terminal_, STDOUT_FILENO);
  WriteTo(STDOUT_FILENO, ReadAll(g_pager->held_));
  close(g_pager->terminal_);
  g_pager->terminal_ = -1;
  g_pager = nullptr;
}

Pager::~Pager() {
  g_pager = nullptr;
  if (terminal_ >= 0) {
    const Terminal terminal = DetectTerminal(STDOUT_FILENO);
    dup2(terminal_, STDOUT_FILENO);
    const std::string text = ReadAll(held_);
    // One line is left for the prompt.
    const bool fits = terminal.rows == 0 || TerminalLines(text, terminal.columns) < terminal.rows;
    if (fits) {
      WriteTo(STDOUT_FILENO, text);
    } else {
      Page(text);
    }
    close(terminal_);
  }
  if (held_ >= 0) close(held_);
}

}  // namespace hindsight::analyzer
