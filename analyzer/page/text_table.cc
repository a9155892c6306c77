#include "analyzer/page/text_table.h"

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

bool IsInsideOfCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

std::string PageText(std::string_view text, size_t most) {
  constexpr std::string_view kGap = "\u2026";
  std::string out = Printable(text);
  if (out.size() <= most) return out;
  size_t head = (most - kGap.size()) / 2;
  size_t tail = out.size() - head;
  while (head > 0 && IsInsideOfCharacter(out[head])) --head;
  while (tail < out.size() && IsInsideOfCharacter(out[tail])) ++tail;
  return out.substr(0, head).append(kGap).append(out, tail);
}

}  // namespace hindsight::analyzer
