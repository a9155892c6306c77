#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "analyzer/base/console.h"

namespace hindsight::analyzer {

void PrepareStandardStreams() {}

bool IsTerminal(int descriptor) { return isatty(descriptor) == 1; }

TerminalSize SizeOfTerminal(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

bool TakesEscapes(int) {
  const char* const kind = std::getenv("TERM");
  return kind != nullptr && *kind != '\0';
}

bool TakesUtf8(int) { return false; }

bool WriteTo(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace hindsight::analyzer
