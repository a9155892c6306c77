#include "analyzer/base/wrap.h"

#include <algorithm>

namespace hindsight::analyzer {

size_t TextColumns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string PadLeft(std::string_view text, size_t columns) {
  const size_t length = TextColumns(text);
  return std::string(columns > length ? columns - length : 0, ' ') + std::string(text);
}

std::string PadRight(std::string_view text, size_t columns) {
  const size_t length = TextColumns(text);
  return std::string(text) + std::string(columns > length ? columns - length : 0, ' ');
}

std::string Wrap(std::string_view text, size_t columns, size_t indent) {
  std::string out;
  size_t column = 0;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const size_t length = TextColumns(word);
    if (column > 0 && column + 1 + length > columns) {
      out += '\n';
      out.append(indent, ' ');
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    begin = end + 1;
  }
  return out;
}

}  // namespace hindsight::analyzer
