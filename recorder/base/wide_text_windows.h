// Texts as Windows has them. On Windows only.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::recorder {

std::wstring Utf16(std::string_view utf8);
// What is no UTF-16 becomes U+FFFD.
std::string Utf8(std::wstring_view text);

}  // namespace hindsight::recorder
