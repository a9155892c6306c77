#include "analyzer/report/table.h"

#include <algorithm>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 8;  // of a column that shrinks
// Of a column that would shrink, where nothing is shortened: the rest of a longer row begins later,
// so that one long name does not push all others apart.
constexpr size_t kWidestInFull = 100;

}  // namespace

std::string Table::Render(const TextStyle& style, size_t indent) const {
  std::vector<size_t> widths;
  size_t total = indent;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = TextColumns(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, TextColumns(row[c]));
    if (columns_[c].shrinks && !style.shortens) width = std::min(width, kWidestInFull);
    widths.push_back(width);
    total += width + (c == 0 ? 0 : kGap);
  }
  while (style.shortens && total > style.width) {  // the widest column shrinks
    size_t* widest = nullptr;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!columns_[c].shrinks || widths[c] <= kNarrowest) continue;
      if (widest == nullptr || widths[c] > *widest) widest = &widths[c];
    }
    if (widest == nullptr) break;
    --*widest;
    --total;
  }
  const auto line = [&](const auto& cell_of) {
    std::string out(indent, ' ');
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (c != 0) out.append(kGap, ' ');
      const std::string cell = ShortenMiddle(style, cell_of(c), widths[c]);
      out +=
          columns_[c].align == Align::kRight ? PadLeft(cell, widths[c]) : PadRight(cell, widths[c]);
    }
    out.resize(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::string out =
      Paint(style, Tone::kFaint, line([this](size_t c) { return columns_[c].title; })) + "\n";
  for (const auto& row : rows_) out += line([&row](size_t c) { return row[c]; }) + "\n";
  return out;
}

std::string CountOrBlank(uint64_t count) { return count == 0 ? "" : FormatCount(count); }
std::string BytesOrBlank(uint64_t bytes) { return bytes == 0 ? "" : FormatBytes(bytes); }
std::string DurationOrBlank(uint64_t ns) { return ns == 0 ? "" : FormatDuration(ns); }

}  // namespace hindsight::analyzer
