#include "analyzer/base/terminal.h"

#include <cstdlib>
#include <string_view>

#include "analyzer/base/console.h"

namespace hindsight::analyzer {
namespace {

// Empty if it is not set.
std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool MayHaveUtf8(int descriptor) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = Variable(name);
    if (locale.empty()) continue;
    return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return TakesUtf8(descriptor);
}

bool MayHaveColours(int descriptor, bool is_terminal) {
  if (!Variable("NO_COLOR").empty()) return false;
  const std::string_view force = Variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return is_terminal && TakesEscapes(descriptor) && Variable("TERM") != "dumb" &&
         Variable("CLICOLOR") != "0";
}

int acting_descriptor = -1;
Terminal acting_terminal;

}  // namespace

void ActAsTerminal(int descriptor, const Terminal& terminal) {
  acting_descriptor = descriptor;
  acting_terminal = terminal;
}

Terminal DetectTerminal(int descriptor) {
  if (descriptor == acting_descriptor) return acting_terminal;
  Terminal terminal;
  terminal.is_terminal = IsTerminal(descriptor);
  if (terminal.is_terminal) {
    const TerminalSize size = SizeOfTerminal(descriptor);
    terminal.columns = size.columns;
    terminal.rows = size.rows;
  }
  terminal.colours = MayHaveColours(descriptor, terminal.is_terminal);
  terminal.utf8 = MayHaveUtf8(descriptor);
  return terminal;
}

}  // namespace hindsight::analyzer
