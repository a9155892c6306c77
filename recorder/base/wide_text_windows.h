// Converts between UTF-8 and the UTF-16 of Windows. Windows only.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::recorder {

std::wstring Utf16(std::string_view utf8);
// Malformed UTF-16 becomes U+FFFD.
std::string Utf8(std::wstring_view text);

}  // namespace hindsight::recorder
