#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cstdlib>

#include "analyzer/base/console.h"

namespace hindsight::analyzer {
namespace {

UINT code_page_before = 0;  // of the console; 0: unchanged

HANDLE HandleOf(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

// The code page belongs to the console, so it is restored for whoever uses it next.
void RestoreCodePage() { SetConsoleOutputCP(code_page_before); }

}  // namespace

void PrepareStandardStreams() {
  for (const int descriptor : {kStandardInput, kStandardOutput, kStandardError}) {
    _setmode(descriptor, _O_BINARY);
  }
  bool has_console = false;
  for (const int descriptor : {kStandardOutput, kStandardError}) {
    DWORD mode = 0;
    if (!GetConsoleMode(HandleOf(descriptor), &mode)) continue;
    has_console = true;
    SetConsoleMode(HandleOf(descriptor), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
  if (!has_console || GetConsoleOutputCP() == CP_UTF8) return;
  code_page_before = GetConsoleOutputCP();
  if (code_page_before != 0 && SetConsoleOutputCP(CP_UTF8)) std::atexit(RestoreCodePage);
}

// Not _isatty, which takes NUL and serial ports for terminals.
bool IsTerminal(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(HandleOf(descriptor), &mode) != 0;
}

TerminalSize SizeOfTerminal(int descriptor) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(HandleOf(descriptor), &info)) return {};
  return {static_cast<size_t>(info.srWindow.Right - info.srWindow.Left + 1),
          static_cast<size_t>(info.srWindow.Bottom - info.srWindow.Top + 1)};
}

bool TakesEscapes(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(HandleOf(descriptor), &mode) &&
         (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

bool TakesUtf8(int descriptor) { return IsTerminal(descriptor) && GetConsoleOutputCP() == CP_UTF8; }

bool WriteTo(int descriptor, std::string_view text) {
  while (!text.empty()) {
    // Consoles reject much larger writes.
    const auto part = static_cast<unsigned>(text.size() < 16384 ? text.size() : 16384);
    const int written = _write(descriptor, text.data(), part);
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace hindsight::analyzer
