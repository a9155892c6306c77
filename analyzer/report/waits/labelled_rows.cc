#include "analyzer/report/waits/labelled_rows.h"

#include <algorithm>
#include <utility>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kIndent = 4;
constexpr size_t kLabel = 12;

}  // namespace

size_t RowWidth(const TextStyle& style) { return style.width - kIndent - kLabel; }

void AppendRow(std::string& out, const TextStyle& style, std::string_view label,
               std::string_view value) {
  out.append(kIndent, ' ');
  out += Paint(style, Tone::kFaint, PadRight(label, kLabel));
  out += ShortenMiddle(style, value, RowWidth(style));
  out += '\n';
}

void AppendStack(std::string& out, const TextStyle& style, std::string_view label,
                 const MethodNames& names, FrameKinds& kinds, std::span<const MethodId> path,
                 size_t frames) {
  if (path.empty()) return AppendRow(out, style, label, "an unrecorded location");
  const auto append = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      AppendRow(out, style, std::exchange(label, ""), Printable(names.Display(path[i])));
    }
  };
  const auto leave_out = [&](size_t from, size_t to) {
    if (to > from) AppendRow(out, style, "", "(" + FormatCount(to - from) + " more)");
  };
  const size_t size = path.size();
  if (frames == 0 || size <= frames + 1) return append(0, size);
  const auto yours =
      static_cast<size_t>(std::ranges::find(path, kinds.InnermostYours(path)) - path.begin());
  size_t shown = frames - 1, next = shown;
  // Within the same number of lines.
  if (yours >= shown && yours + 1 < size && frames > 3) {
    shown = frames - 3;
    next = yours + 1;
  }
  append(0, shown);
  if (next > shown) {
    leave_out(shown, yours);
    append(yours, next);
  }
  leave_out(next, size - 1);
  append(size - 1, size);
}

}  // namespace hindsight::analyzer
