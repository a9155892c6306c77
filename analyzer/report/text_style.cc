#include "analyzer/report/text_style.h"

#include <algorithm>
#include <vector>

#include "analyzer/base/terminal.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kMinWidth = 60;
constexpr size_t kMaxWidth = 200;

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Offset of the code point number `columns`.
size_t OffsetOf(std::string_view text, size_t columns) {
  size_t i = 0;
  for (; i < text.size(); ++i) {
    if (!StartsCharacter(text[i])) continue;
    if (columns-- == 0) return i;
  }
  return i;
}

// Where the parts of a name begin, separated by dots that are not inside of <>, () or []. Empty if
// `text` is not a name: it has blanks outside of these.
std::vector<size_t> PartsOf(std::string_view text) {
  std::vector<size_t> begins = {0};
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == ']') depth = std::max(0, depth - 1);
    if (depth > 0) continue;
    if (c == ' ') return {};
    if (c == '.' && i > 0 && i + 1 < text.size()) begins.push_back(i + 1);
  }
  return begins;
}

// The longest end of a name that fits together with a mark; at least its last two parts,
// Type.Method.
std::string_view WithoutNamespaces(std::string_view text, size_t columns, size_t mark) {
  const std::vector<size_t> begins = PartsOf(text);
  if (begins.size() < 3) return text;
  for (size_t i = 1; i + 2 < begins.size(); ++i) {
    const std::string_view rest = text.substr(begins[i]);
    if (mark + TextColumns(rest) <= columns) return rest;
  }
  return text.substr(begins[begins.size() - 2]);
}

std::string_view Ellipsis(const TextStyle& style) { return style.unicode ? "…" : "..."; }

}  // namespace

TextStyle DetectTextStyle(int descriptor) {
  const Terminal terminal = DetectTerminal(descriptor);
  TextStyle style;
  style.colours = terminal.colours;
  style.shortens = terminal.is_terminal;
  if (!terminal.is_terminal) return style;
  if (terminal.columns > 0) style.width = std::clamp(terminal.columns, kMinWidth, kMaxWidth);
  style.unicode = terminal.utf8;
  return style;
}

std::string Paint(const TextStyle& style, Tone tone, std::string_view text) {
  if (!style.colours) return std::string(text);
  std::string_view code;
  switch (tone) {
    case Tone::kBad:
      code = "\x1b[1;31m";
      break;
    case Tone::kWarning:
      code = "\x1b[33m";
      break;
    case Tone::kStrong:
      code = "\x1b[1m";
      break;
    case Tone::kFaint:
      code = "\x1b[2m";
      break;
  }
  return std::string(code) + std::string(text) + "\x1b[0m";
}

std::string ShortenMiddle(const TextStyle& style, std::string_view text, size_t columns) {
  if (!style.shortens || TextColumns(text) <= columns) return std::string(text);
  const std::string_view ellipsis = Ellipsis(style);
  const std::string_view name = WithoutNamespaces(text, columns, TextColumns(ellipsis));
  if (name.size() < text.size()) {
    if (TextColumns(ellipsis) + TextColumns(name) <= columns) {
      return std::string(ellipsis) + std::string(name);
    }
    text = name;  // Type.Method and a mark are too long
    if (TextColumns(text) <= columns) return std::string(text);
  }
  const size_t length = TextColumns(text);
  const size_t mark = TextColumns(ellipsis);
  if (columns <= mark) return std::string(text.substr(0, OffsetOf(text, columns)));
  size_t tail = (columns - mark) * 2 / 3;
  // The tail begins after a dot, if that costs little.
  const size_t tail_start = OffsetOf(text, length - tail);
  const size_t dot = text.find('.', tail_start);
  if (dot != std::string_view::npos && dot + 1 < text.size() && dot - tail_start < tail / 3) {
    tail = TextColumns(text.substr(dot + 1));
  }
  const size_t head = columns - mark - tail;
  return std::string(text.substr(0, OffsetOf(text, head))) + std::string(ellipsis) +
         std::string(text.substr(OffsetOf(text, length - tail)));
}

std::string ShortenEnd(const TextStyle& style, std::string_view text, size_t columns) {
  if (!style.shortens || TextColumns(text) <= columns) return std::string(text);
  const std::string_view ellipsis = Ellipsis(style);
  const size_t mark = std::min(TextColumns(ellipsis), columns);
  return std::string(text.substr(0, OffsetOf(text, columns - mark))) + std::string(ellipsis);
}

std::string Sparkline(const TextStyle& style, std::span<const double> values) {
  static constexpr std::string_view kBlocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::string_view kPlain[] = {".", ":", "-", "=", "+", "*", "#", "@"};
  const double largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string out;
  for (const double value : values) {
    if (largest <= 0 || value <= 0) {
      out += ' ';
      continue;
    }
    const auto level = std::min<size_t>(7, static_cast<size_t>(value / largest * 8));
    out += style.unicode ? kBlocks[level] : kPlain[level];
  }
  return out;
}

}  // namespace hindsight::analyzer
