#include "analyzer/base/pager.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "analyzer/base/terminal.h"

namespace hindsight::analyzer {
namespace {

constexpr int kNoProgram = 127;  // of sh, where the command is not found

bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

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

}  // namespace

size_t TerminalLines(const std::string& text, size_t columns) {
  size_t lines = 0, column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\x1b') {  // ours end with m
      while (i < text.size() && text[i] != 'm') ++i;
    } else if (c == '\n') {
      ++lines;
      column = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      if (columns > 0 && column == columns) {
        ++lines;
        column = 0;
      }
      ++column;
    }
  }
  return lines + (column > 0 ? 1 : 0);
}

Pager::Pager(bool is_wanted) {
  const std::string command = PagerCommand();
  const Terminal terminal = DetectTerminal(STDOUT_FILENO);
  if (!is_wanted || command.empty() || command == "cat" || !terminal.is_terminal) return;
  held_ = memfd_create("hindsight-output", MFD_CLOEXEC);
  if (held_ < 0) return;
  terminal_ = dup(STDOUT_FILENO);
  if (terminal_ < 0 || dup2(held_, STDOUT_FILENO) < 0) return;
  ActAsTerminal(STDOUT_FILENO, terminal);
}

Pager::~Pager() {
  if (terminal_ >= 0) {
    const Terminal terminal = DetectTerminal(STDOUT_FILENO);
    dup2(terminal_, STDOUT_FILENO);
    const std::string text = ReadAll(held_);
    // A line stays free for the prompt.
    const bool fits = terminal.rows == 0 || TerminalLines(text, terminal.columns) < terminal.rows;
    if (fits) {
      WriteAll(STDOUT_FILENO, text);
    } else {
      Page(text);
    }
    close(terminal_);
  }
  if (held_ >= 0) close(held_);
}

void Pager::Page(const std::string& text) const {
  const std::string command = PagerCommand();
  int ends[2];
  if (pipe(ends) != 0) {
    WriteAll(STDOUT_FILENO, text);
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
  // Who leaves the pager early has seen enough, and Ctrl-C is the pager's.
  const auto old_pipe = std::signal(SIGPIPE, SIG_IGN);
  const auto old_interrupt = std::signal(SIGINT, SIG_IGN);
  if (child > 0) WriteAll(ends[1], text);
  close(ends[1]);
  int status = 0;
  const bool has_ended = child > 0 && waitpid(child, &status, 0) == child;
  if (!has_ended || (WIFEXITED(status) && WEXITSTATUS(status) == kNoProgram)) {
    WriteAll(STDOUT_FILENO, text);
  }
  std::signal(SIGPIPE, old_pipe);
  std::signal(SIGINT, old_interrupt);
}

}  // namespace hindsight::analyzer
