#include "analyzer/base/pager.h"

namespace hindsight::analyzer {

size_t TerminalLines(const std::string& text, size_t columns) {
  size_t lines = 0, column = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\x1b') {  // our sequences end with m
      while (i < text.size() && text[i] != 'm') ++i;
    } else if (c == '\n') {
      ++lines;
      column = 0;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      if (columns > 0 && column == columns) {
        ++lines;
        column = 0;
      }
      ++column;
    }
  }
  return lines + (column > 0 ? 1 : 0);
}

}  // namespace hindsight::analyzer
