// Reads UTF-16 text by the runtime's convention: the caller passes a buffer, the runtime fills as
// much as fits and returns the full length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/clr/types.h"
#include "recorder/names/utf8.h"

namespace hindsight::recorder {

inline constexpr size_t kMaxNameUnits = 4096;  // UTF-16 code units of a name or path, NUL included

// Reused from call to call; one thread.
class TextBuffer {
 public:
  // Calls `fill(char16_t* buffer, uint32_t capacity, uint32_t* length)`, and once more with a
  // larger buffer if the text does not fit; text beyond kMaxNameUnits is cut. Replaces `out`.
  // False: the call failed, and `out` is empty.
  template <typename Fill>
  bool Read(Fill&& fill, std::string& out) {
    out.clear();
    uint32_t length = 0;
    if (!Try(fill, length)) return false;
    if (length > units_.size() && units_.size() < kMaxNameUnits) {
      units_.resize(std::min<size_t>(length, kMaxNameUnits));
      if (!Try(fill, length)) return false;
    }
    const std::u16string_view filled(units_.data(), std::min<size_t>(length, units_.size()));
    const std::u16string_view text = filled.substr(0, filled.find(u'\0'));
    AppendUtf8(text, text.size(), out);
    return true;
  }

 private:
  static constexpr size_t kFirstUnits = 1024;

  template <typename Fill>
  bool Try(Fill& fill, uint32_t& length) {
    length = 0;
    return clr::Succeeded(fill(units_.data(), static_cast<uint32_t>(units_.size()), &length));
  }

  std::vector<char16_t> units_ = std::vector<char16_t>(kFirstUnits);
};

}  // namespace hindsight::recorder
