#include "analyzer/report/waits/labelled_rows.h"

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
                 const MethodNames& names, std::span<const MethodId> path, size_t frames) {
  if (path.empty()) return AppendRow(out, style, label, "an unrecorded location");
  const bool cuts = frames != 0 && path.size() > frames + 1;
  const size_t shown = cuts ? frames - 1 : path.size();
  for (size_t i = 0; i < shown; ++i) {
    AppendRow(out, style, std::exchange(label, ""), Printable(names.Display(path[i])));
  }
  if (!cuts) return;
  AppendRow(out, style, "", "(" + FormatCount(path.size() - shown - 1) + " more)");
  AppendRow(out, style, "", Printable(names.Display(path.back())));
}

}  // namespace hindsight::analyzer
