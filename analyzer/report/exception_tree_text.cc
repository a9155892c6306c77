#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/exceptions_text.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kCountColumns = 12;
constexpr size_t kTreeShareColumns = 8;
constexpr size_t kMaxTreeIndent = 40;
constexpr size_t kMethodsShown = 6;  // of a stretch without a branch

}  // namespace

std::string ExceptionTreeText(const ExceptionReport& report, const ExceptionTree& tree,
                              const TextStyle& style) {
  std::string out =
      Paint(style, Tone::kStrong,
            "Where the exceptions of " + RecordingTitle(report.model->facts) + " come from") +
      "\n\n";
  if (tree.count == 0) {
    out += "    No exceptions match. `hindsight exceptions` without filters shows more.\n";
    return out;
  }
  out +=
      Paint(style, Tone::kFaint,
            PadLeft("count", kCountColumns) + PadLeft("share", kTreeShareColumns) + "  call tree") +
      "\n";
  const auto line = [&](uint64_t count, size_t depth, const std::string& text, Tone tone) {
    const size_t indent = std::min(depth * 2, std::min(kMaxTreeIndent, style.width / 3));
    const size_t room = style.width - kCountColumns - kTreeShareColumns - 2 - indent;
    std::string numbers(kCountColumns + kTreeShareColumns, ' ');
    if (count > 0) {
      numbers = PadLeft(FormatCount(count), kCountColumns) +
                PadLeft(FormatPercent(static_cast<double>(count) / static_cast<double>(tree.count)),
                        kTreeShareColumns);
    }
    const std::string shown = ShortenMiddle(style, text, room);
    out += numbers + "  " + std::string(indent, ' ') +
           (tone == Tone::kStrong ? shown : Paint(style, tone, shown)) + "\n";
  };
  for (const TreeNode& node : tree.nodes) {
    std::vector<std::string> names;
    size_t plumbing = 0;
    for (size_t i = 0; i < node.methods.size(); ++i) {
      const bool is_end = i == 0 || i + 1 == node.methods.size();
      if (!is_end && report.model->dictionaries.method(node.methods[i]).is_plumbing) {
        ++plumbing;
        continue;
      }
      const std::string name = Printable(report.names.Display(node.methods[i]));
      if (names.empty() || names.back() != name) names.push_back(name);
    }
    const size_t hidden = names.size() > kMethodsShown ? names.size() - kMethodsShown : 0;
    for (size_t i = 0; i < names.size(); ++i) {
      if (hidden > 0 && i >= kMethodsShown / 2 && i < kMethodsShown / 2 + hidden) {
        if (i == kMethodsShown / 2) {
          line(0, node.depth, "(" + Plural(hidden + plumbing, "more call") + ")", Tone::kFaint);
        }
        continue;
      }
      line(i == 0 ? node.count : 0, node.depth, names[i], Tone::kStrong);
    }
    for (const ThrownHere& thrown : node.thrown) {
      line(thrown.count, node.depth + 1,
           "throws " + Printable(report.names.Type(report.findings[thrown.finding - 1].type)) +
               " (#" + std::to_string(thrown.finding) + ")",
           Tone::kWarning);
    }
    if (node.folded > 0) {
      line(node.folded, node.depth + 1,
           "(" + Plural(node.folded_children, "rarer path") + "; --min-share 0 shows all)",
           Tone::kFaint);
    }
  }
  if (tree.without_stack > 0) {
    line(tree.without_stack, 0, "(no stack recorded)", Tone::kFaint);
  }
  out += '\n';
  for (const std::string& sentence : ExceptionLossSentences(*report.model)) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + sentence, style.width - 6, 6)) + "\n";
  }
  out += Paint(style, Tone::kFaint,
               "The numbers (#1) are those of `hindsight exceptions` with the same filters.") +
         "\n";
  return out;
}

}  // namespace hindsight::analyzer
