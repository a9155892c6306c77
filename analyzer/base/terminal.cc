#include "analyzer/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace hindsight::analyzer {
namespace {

// Empty if it is not set.
std::string_view Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view locale = Variable(name);
    if (locale.empty()) continue;
    return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
  }
  return false;
}

bool MayHaveColours(bool is_terminal) {
  if (!Variable("NO_COLOR").empty()) return false;
  const std::string_view force = Variable("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  const std::string_view kind = Variable("TERM");
  return is_terminal && !kind.empty() && kind != "dumb" && Variable("CLICOLOR") != "0";
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
  terminal.is_terminal = isatty(descriptor) == 1;
  winsize size{};
  if (terminal.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row;
  }
  terminal.colours = MayHaveColours(terminal.is_terminal);
  terminal.utf8 = LocaleIsUtf8();
  return terminal;
}

}  // namespace hindsight::analyzer
