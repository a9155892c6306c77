// Long output on a terminal, through a pager.
#pragma once

#include <string>

namespace hindsight::analyzer {

// During its lifetime, standard output goes to memory if it is a terminal. At the end, it is
// written to the terminal if it fits, and otherwise passed to $PAGER (default: less, with LESS=FRX
// unless LESS is set). It is written directly if no pager can be started, and if PAGER is empty or
// `cat`. Output that is not a terminal is never touched. One at a time; the caller must flush its
// streams before construction and before destruction.
class Pager {
 public:
  explicit Pager(bool is_wanted);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // For a program that keeps running: writes what is held and stops holding output. Does nothing
  // without a pager.
  static void Release();

 private:
  int terminal_ = -1;  // standard output as it was; -1: nothing is held back
  int held_ = -1;      // its replacement
};

// Lines that `text` takes on a terminal with that many columns (0: unknown), ignoring escape
// sequences.
size_t TerminalLines(const std::string& text, size_t columns);

}  // namespace hindsight::analyzer
