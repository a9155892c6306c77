// Trees of call paths, and methods, as text and as JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/report/json.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// How PathWeight::amount is written: FormatDuration or FormatBytes of it.
using AmountText = std::function<std::string(double amount)>;

struct PathTreeLook {
  std::string title;         // of the column of paths
  std::string amount_title;  // of that of amounts: "time", "bytes"
  AmountText amount;
  bool has_self = true;  // false for callers, where it says nothing
  // What has less than this share of the whole, or fewer samples than say anything, is one line. 0:
  // all is shown.
  double min_share = 0.01;
};

// "12.3 %"; of shares below a tenth of a per cent "< 0.1 %".
std::string ShareText(double share);
// "12.3 ±0.8 %".
std::string ShareText(const TextStyle& style, const Share& share);

// A method with its line: "Shop.Order.Parse  Order.cs:12", the name shortened to what is left of
// `columns`.
std::string FrameText(const TextStyle& style, const PathFrame& frame, size_t columns);

// A line for each node, the heaviest first; a chain of single calls stands in one column, and its
// numbers on its first line. `whole` is what shares are shares of.
std::string PathTreeText(const CallPaths& paths, const PathWeight& whole, const PathTreeLook& look,
                         const TextStyle& style);

// [{"depth", "method", "line": or null, "kind": "method" | "native" | "note", "recursive",
//   "total", "self", "samples", "share", "error"}] in the order of the text, all of them;
// `unit` is appended to "total" and "self": "_ns" or "_bytes". Share and error are of the total.
Json JsonPaths(const CallPaths& paths, const PathWeight& whole, std::string_view unit);

// [{"method", "line", "kind", "self", "self_samples", "self_share", "self_error", "total",
//   "total_samples", "total_share", "total_error"}]; `unit` as above.
Json JsonMethods(const PathFrames& frames, std::span<const MethodWeight> methods,
                 const PathWeight& whole, std::string_view unit);

}  // namespace hindsight::analyzer
