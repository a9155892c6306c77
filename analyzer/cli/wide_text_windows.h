// UTF-8 inside, UTF-16 where Windows wants it. For files that are chosen on Windows only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::cli {

// What is no UTF-16 becomes U+FFFD.
std::string Utf8(std::wstring_view text);
std::wstring Utf16(std::string_view text);

// The words of a command line as the C library reads it, the program first; and such a line of
// words.
std::vector<std::string> Words(const wchar_t* command_line);
std::wstring CommandLine(const std::vector<std::string>& words);

}  // namespace hindsight::cli
