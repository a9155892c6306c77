// Long output on a terminal, through a pager.
#pragma once

#include <string>

namespace hindsight::analyzer {

// While it lives, standard output goes into memory if it is a terminal; at the end it goes to the
// terminal where it fits, and else through $PAGER (default: less, with LESS=FRX unless LESS is
// set). Where no pager can be started, and where PAGER is empty or `cat`, it is just written.
// Output that is no terminal is never touched. One at a time; the caller has flushed its streams
// before construction and before destruction.
class Pager {
 public:
  explicit Pager(bool is_wanted);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  // For a program that goes on: what is held is written, and nothing is held any more. Nothing
  // happens where there is no pager.
  static void Release();

 private:
  int terminal_ = -1;  // standard output as it was; -1: nothing is held back
  int held_ = -1;      // what stands in its place
};

// Lines that `text` takes on a terminal of so many columns (0: unknown), escape sequences apart.
size_t TerminalLines(const std::string& text, size_t columns);

}  // namespace hindsight::analyzer
