#include "recorder/names/utf8.h"

namespace hindsight::recorder {

size_t AppendUtf8(std::u16string_view text, size_t max_units, std::string& out) {
  return EncodeUtf8(text, max_units, [&out](char byte) { out.push_back(byte); });
}

std::string ToUtf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendUtf8(text, text.size(), out);
  return out;
}

}  // namespace hindsight::recorder
