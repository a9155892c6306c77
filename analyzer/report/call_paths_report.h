// Trees of call paths, and methods, as text and as JSON.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// Formats PathWeight::amount, with FormatDuration or FormatBytes.
using AmountText = std::function<std::string(double amount)>;

struct PathTreeLook {
  std::string title;         // of the column with the paths
  std::string amount_title;  // of the column with the amounts: "time", "bytes"
  AmountText amount;
  bool has_self = true;  // false for callers, for which it is meaningless
  // What has less than this share of the whole, or too few samples to be meaningful, is merged into
  // one line. 0: everything is shown.
  double min_share = 0.01;
};

// "12.3 %"; "< 0.1 %" for shares below a tenth of a percent.
std::string ShareText(double share);
// "12.3 ±0.8 %".
std::string ShareText(const TextStyle& style, const Share& share);

// A method with its line: "Shop.Order.Parse  Order.cs:12", with the name shortened to fit into
// `columns`.
std::string FrameText(const TextStyle& style, const PathFrame& frame, size_t columns);

// One line per node, heaviest first; a chain of single calls is in one column, with its numbers on
// the first line. `whole` is the basis of shares.
std::string PathTreeText(const CallPaths& paths, const PathWeight& whole, const PathTreeLook& look,
                         const TextStyle& style);

// A node of the tree, in the order of the text; and a method. What they point to must outlive them.
struct PathRow {
  size_t depth;
  const PathFrame* frame;
  const PathNode* node;
  Share share;  // of its total
};
struct MethodRow {
  const PathFrame* frame;
  MethodWeight weight;
  Share self, total;
};
std::vector<PathRow> PathRows(const CallPaths& paths, const PathWeight& whole);
std::vector<MethodRow> MethodRows(const PathFrames& frames, std::span<const MethodWeight> methods,
                                  const PathWeight& whole);

// `unit` is appended to "total" and "self": "_ns" or "_bytes". `amount`: for the text.
Object<PathRow> PathFields(std::string_view unit);
Object<MethodRow> MethodFields(std::string_view unit, const AmountText& amount = {});
// "method" and "line".
Object<PathFrame> FrameFields();

}  // namespace hindsight::analyzer
