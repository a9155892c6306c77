// Capabilities of a descriptor's terminal.
#pragma once

#include <cstddef>

namespace hindsight::analyzer {

struct Terminal {
  bool is_terminal = false;
  size_t columns = 0;    // 0: unknown
  size_t rows = 0;       // likewise
  bool colours = false;  // colors may be sent to it
  bool utf8 = false;     // according to the locale
};

// Colors are for terminals other than "dumb", and not used if NO_COLOR is set or CLICOLOR is 0.
// CLICOLOR_FORCE (other than 0) requests them elsewhere as well; NO_COLOR takes precedence.
Terminal DetectTerminal(int descriptor);

// From now on, `descriptor` is treated as `terminal`, whatever it is: its output gets there later.
// One descriptor at a time; before threads are started.
void ActAsTerminal(int descriptor, const Terminal& terminal);

}  // namespace hindsight::analyzer
