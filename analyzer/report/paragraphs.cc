#include "analyzer/report/paragraphs.h"

#include <algorithm>

#include "analyzer/base/text.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kTextIndent = 4;

}  // namespace

void AppendSentence(std::string& out, const TextStyle& style, Tone tone, std::string_view text) {
  const std::string wrapped = Wrap(text, style.width - kTextIndent, kTextIndent);
  out.append(kTextIndent, ' ');
  for (size_t begin = 0; begin <= wrapped.size();) {
    const size_t end = std::min(wrapped.find('\n', begin), wrapped.size());
    const std::string_view line(wrapped.data() + begin, end - begin);
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    out += line.substr(0, blanks);
    out += Paint(style, tone, line.substr(blanks));
    out += '\n';
    begin = end + 1;
  }
}

void AppendFindingTitle(std::string& out, const TextStyle& style, size_t rank,
                        std::string_view title, std::string_view right, Tone tone) {
  const std::string left = PadRight("#" + std::to_string(rank) + " ", kTextIndent);
  const size_t taken = left.size() + TextColumns(right) + 2;
  const size_t room = style.width > taken + 20 ? style.width - taken : 20;
  const std::string shown = ShortenEnd(style, title, room);
  out += "\n" + left + Paint(style, tone, shown);
  if (!right.empty()) {
    out += PadLeft("", room - std::min(room, TextColumns(shown)) + 2) + std::string(right);
  }
  out += "\n";
}

void AppendSection(std::string& out, const TextStyle& style, std::string_view title) {
  out += "\n" + Paint(style, Tone::kStrong, title) + "\n\n";
}

void AppendLosses(std::string& out, const TextStyle& style, const Model& model) {
  const std::vector<std::string> losses = LossSentences(model);
  if (!losses.empty()) out += "\n";
  for (const std::string& sentence : losses) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width - 6, 6)) + "\n";
  }
}

std::string Bar(const TextStyle& style, double share, size_t columns) {
  static constexpr std::string_view kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return {};
  const double filled = std::min(share, 1.0) * static_cast<double>(columns);
  if (!style.unicode) {
    return std::string(std::max<size_t>(1, static_cast<size_t>(filled + 0.5)), '#');
  }
  const auto eighths = std::max<size_t>(1, static_cast<size_t>(filled * 8 + 0.5));
  std::string out;
  for (size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out += kParts[eighths % 8];
}

size_t ShownRows(size_t rows, size_t top) { return top == 0 ? rows : std::min(rows, top); }

void AppendMore(std::string& out, size_t rows, size_t shown, std::string_view noun) {
  if (rows > shown) out += "  and " + Plural(rows - shown, "more " + std::string(noun)) + "\n";
}

}  // namespace hindsight::analyzer
