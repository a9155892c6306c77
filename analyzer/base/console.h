// Standard streams, and terminals behind them, as the system has them.
#pragma once

#include <cstddef>
#include <string_view>

namespace hindsight::analyzer {

// Descriptors.
inline constexpr int kStandardInput = 0;
inline constexpr int kStandardOutput = 1;
inline constexpr int kStandardError = 2;

// Before anything is read or written: bytes pass as they are, and a terminal takes UTF-8 and escape
// sequences if it can.
void PrepareStandardStreams();

bool IsTerminal(int descriptor);

struct TerminalSize {
  size_t columns = 0;  // 0: unknown
  size_t rows = 0;     // likewise
};
TerminalSize SizeOfTerminal(int descriptor);

// Of a terminal, and where no variable says otherwise: whether it takes escape sequences, and
// whether its text is UTF-8.
bool TakesEscapes(int descriptor);
bool TakesUtf8(int descriptor);

// As it is. False: not all of it could be written.
bool WriteTo(int descriptor, std::string_view text);

}  // namespace hindsight::analyzer
