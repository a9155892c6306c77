// Capabilities of a descriptor's terminal.
#pragma once

#include <cstddef>

namespace hindsight::analyzer {

struct Terminal {
  bool is_terminal = false;
  size_t columns = 0;    // 0: unknown
  size_t rows = 0;       // likewise
  bool colours = false;  // it may be sent colors
  bool utf8 = false;     // as the locale says
};

// Colours are for terminals other than "dumb", and not where NO_COLOR is set or CLICOLOR is 0.
// CLICOLOR_FORCE (other than 0) asks for them elsewhere as well; NO_COLOR is stronger.
Terminal DetectTerminal(int descriptor);

// From now on `descriptor` counts as `terminal`, whatever it is: its output gets there later. Of
// one descriptor at a time; before threads are started.
void ActAsTerminal(int descriptor, const Terminal& terminal);

}  // namespace hindsight::analyzer
