// Text from outside: validated before it is kept, made safe before it is shown.
//
// Pure functions: any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hindsight::contract {

inline bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
inline bool IsUtf8Continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Without leading and trailing blanks.
std::string_view Trim(std::string_view text);

// Bytes of the well-formed UTF-8 sequence at the front of `text`; 0 when there is none.
size_t Utf8Length(std::string_view text);

// The same text with each malformed byte as U+FFFD: for what goes into a protobuf string.
std::string RepairedUtf8(std::string_view text);

// The same text with each control character (also C1) and each malformed byte as `?`; anything
// beyond `limit` bytes becomes "...".
std::string Printable(std::string_view text, size_t limit = std::string_view::npos);

// Printable, in quotation marks, short enough for a sentence.
std::string Quote(std::string_view text);

// `*` stands for any text, `?` for one character.
bool MatchesGlob(std::string_view pattern, std::string_view text);

}  // namespace hindsight::contract
