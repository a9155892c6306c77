// UTF-8 internally, UTF-16 for Windows. For files that are only compiled on Windows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::cli {

// Invalid UTF-16 becomes U+FFFD.
std::string Utf8(std::wstring_view text);
std::wstring Utf16(std::string_view text);

// The words of a command line, parsed as by the C library, beginning with the program; and the
// reverse.
std::vector<std::string> Words(const wchar_t* command_line);
std::wstring CommandLine(const std::vector<std::string>& words);

}  // namespace hindsight::cli
