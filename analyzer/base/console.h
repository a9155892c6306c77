// Standard streams, and terminals behind them, on each system.
#pragma once

#include <cstddef>
#include <string_view>

namespace hindsight::analyzer {

// Descriptors.
inline constexpr int kStandardInput = 0;
inline constexpr int kStandardOutput = 1;
inline constexpr int kStandardError = 2;

// Before anything is read or written: makes streams pass bytes unchanged, and lets a terminal
// accept UTF-8 and escape sequences if it can.
void PrepareStandardStreams();

bool IsTerminal(int descriptor);

struct TerminalSize {
  size_t columns = 0;  // 0: unknown
  size_t rows = 0;     // likewise
};
TerminalSize SizeOfTerminal(int descriptor);

// For a terminal, if no environment variable says otherwise: whether it supports escape sequences,
// and whether its text is UTF-8.
bool TakesEscapes(int descriptor);
bool TakesUtf8(int descriptor);

// Unchanged. False: not all of it could be written.
bool WriteTo(int descriptor, std::string_view text);

}  // namespace hindsight::analyzer
