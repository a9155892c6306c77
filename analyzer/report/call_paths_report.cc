#include "analyzer/report/call_paths_report.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kAmountColumns = 9;
constexpr size_t kShareColumns = 9;
constexpr size_t kMaxIndent = 40;
constexpr size_t kLeastOfName = 12;

class TreeWriter {
 public:
  TreeWriter(const CallPaths& paths, const PathWeight& whole, const PathTreeLook& look,
             const TextStyle& style)
      : paths_(paths), whole_(whole), look_(look), style_(style), children_(paths) {}

  std::string Write() {
    std::string head =
        PadLeft(look_.amount_title, kAmountColumns) + PadLeft("total", kShareColumns);
    if (look_.has_self) head += PadLeft("self", kShareColumns);
    out_ = Paint(style_, Tone::kFaint, head + "  " + look_.title) + "\n";
    // Depth is only bounded by the input, so the path is kept here instead of on the call stack.
    struct Open {
      std::span<const uint32_t> left;
      size_t indent;
      bool single;  // its only child is in the same column
    };
    std::vector<Open> open = {{Shown(0), 0, false}};
    small_.push_back(Small(0));
    while (!open.empty()) {
      Open& top = open.back();
      if (top.left.empty()) {
        if (!top.single) SmallLine(small_.back(), top.indent);
        small_.pop_back();
        open.pop_back();
        continue;
      }
      const uint32_t node = top.left.front();
      const bool continues = top.single;
      const size_t indent = top.indent;
      top.left = top.left.subspan(1);
      NodeLine(node, indent, continues);
      const bool single = IsChain(node);
      open.push_back({Shown(node), single ? indent : indent + 1, single});
      small_.push_back(Small(node));
    }
    return std::move(out_);
  }

 private:
  double Share(const PathWeight& weight) const {
    return whole_.amount > 0 ? weight.amount / whole_.amount : 0;
  }
  bool IsShown(uint32_t node) const {
    const PathWeight& total = paths_.nodes[node].total;
    const bool is_significant = look_.min_share == 0 || total.samples >= kFewSamples;
    return is_significant && Share(total) >= look_.min_share;
  }
  // Children are sorted by weight, so those that are shown come first.
  std::span<const uint32_t> Shown(uint32_t node) const {
    const std::span<const uint32_t> all = children_.Of(node);
    const auto end =
        std::find_if(all.begin(), all.end(), [this](uint32_t child) { return !IsShown(child); });
    return all.first(static_cast<size_t>(end - all.begin()));
  }
  std::span<const uint32_t> Small(uint32_t node) const {
    return children_.Of(node).subspan(Shown(node).size());
  }
  // Whether there is a single child with nearly all of the node's weight.
  bool IsChain(uint32_t node) const {
    const std::span<const uint32_t> shown = Shown(node);
    if (shown.size() != 1) return false;
    const double rest = Share(paths_.nodes[node].total) - Share(paths_.nodes[shown[0]].total);
    return rest <= look_.min_share / 2;
  }

  size_t Blanks(size_t indent) const {
    return std::min({indent * 2, kMaxIndent, style_.width / 3});
  }
  size_t Numbers() const { return kAmountColumns + kShareColumns * (look_.has_self ? 2 : 1) + 2; }

  void NodeLine(uint32_t id, size_t indent, bool continues) {
    const PathNode& node = paths_.nodes[id];
    std::string numbers(kAmountColumns + kShareColumns, ' ');
    if (!continues) {
      numbers = PadLeft(look_.amount(node.total.amount), kAmountColumns) +
                PadLeft(ShareText(Share(node.total)), kShareColumns);
    }
    if (look_.has_self) {
      const double self = Share(node.self);
      const bool is_significant = node.self.samples > 0 && self >= look_.min_share / 2;
      numbers += PadLeft(is_significant ? ShareText(self) : "", kShareColumns);
    }
    const PathFrame& frame = paths_.frames[node.frame];
    const std::string mark = node.recursive ? " (recursive)" : "";
    const size_t room = style_.width - std::min(style_.width, Numbers() + Blanks(indent));
    const std::string name =
        FrameText(style_, frame, room > mark.size() ? room - mark.size() : 0) + mark;
    const bool is_note = frame.kind == PathFrame::Kind::kNote;
    out_ += numbers + "  " + std::string(Blanks(indent), ' ') +
            (is_note ? Paint(style_, Tone::kFaint, name) : name) + "\n";
  }

  void SmallLine(std::span<const uint32_t> small, size_t indent) {
    if (small.empty()) return;
    PathWeight sum;
    for (const uint32_t child : small) sum += paths_.nodes[child].total;
    const std::string text =
        "(" + FormatCount(small.size()) + (small.size() == 1 ? " smaller one)" : " smaller ones)");
    out_ += PadLeft(look_.amount(sum.amount), kAmountColumns) +
            PadLeft(ShareText(Share(sum)), kShareColumns) +
            std::string(Numbers() - kAmountColumns - kShareColumns + Blanks(indent), ' ') +
            Paint(style_, Tone::kFaint, text) + "\n";
  }

  const CallPaths& paths_;
  const PathWeight& whole_;
  const PathTreeLook& look_;
  const TextStyle& style_;
  const PathChildren children_;
  std::vector<std::span<const uint32_t>> small_;
  std::string out_;
};

constexpr Named<PathFrame::Kind> kFrameKinds[] = {{PathFrame::Kind::kNative, "native"},
                                                  {PathFrame::Kind::kNote, "note"},
                                                  {PathFrame::Kind::kMethod, "method"}};

std::string Fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

}  // namespace

std::string ShareText(double share) {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return Fixed(share * 100) + " %";
}

std::string ShareText(const TextStyle& style, const Share& share) {
  return Fixed(share.value * 100) + (style.unicode ? " ±" : " +-") + Fixed(share.error * 100) +
         " %";
}

std::string FrameText(const TextStyle& style, const PathFrame& frame, size_t columns) {
  std::string line = Printable(frame.line);
  if (!line.empty()) line.insert(0, "  ");
  const size_t taken = TextColumns(line);
  const bool has_room = columns >= taken + kLeastOfName;
  const std::string name =
      ShortenMiddle(style, Printable(frame.Label()), has_room ? columns - taken : columns);
  return has_room ? name + line : name;
}

std::string PathTreeText(const CallPaths& paths, const PathWeight& whole, const PathTreeLook& look,
                         const TextStyle& style) {
  return TreeWriter(paths, whole, look, style).Write();
}

std::vector<PathRow> PathRows(const CallPaths& paths, const PathWeight& whole) {
  const PathChildren children(paths);
  struct Open {
    uint32_t node;
    size_t depth;
  };
  std::vector<Open> open;
  const auto add_children = [&](uint32_t node, size_t depth) {
    const std::span<const uint32_t> below = children.Of(node);
    for (auto child = below.rbegin(); child != below.rend(); ++child) {
      open.push_back({*child, depth});
    }
  };
  add_children(0, 0);
  std::vector<PathRow> rows;
  while (!open.empty()) {
    const auto [id, depth] = open.back();
    open.pop_back();
    const PathNode& node = paths.nodes[id];
    rows.push_back({depth, &paths.frames[node.frame], &node, ShareOf(node.total, whole)});
    add_children(id, depth + 1);
  }
  return rows;
}

std::vector<MethodRow> MethodRows(const PathFrames& frames, std::span<const MethodWeight> methods,
                                  const PathWeight& whole) {
  std::vector<MethodRow> rows;
  for (const MethodWeight& method : methods) {
    rows.push_back(
        {&frames[method.frame], method, ShareOf(method.self, whole), ShareOf(method.total, whole)});
  }
  return rows;
}

Object<PathFrame> FrameFields() {
  return {
      {"method", "A method, as C# writes it", &PathFrame::name},
      {"line", "FILE:LINE with --lines; null: unknown",
       [](auto& frame) { return frame.line.empty() ? std::nullopt : std::optional(frame.line); }},
      {"inlined", "There and true: most of it ran in the code of its callers, where the JIT put it",
       [](auto& frame) {
         return If<bool>{frame.inlined, true};
       }},
      {"hides_inlined",
       "There and true: methods that the JIT inlined here are not known, and part of it",
       [](auto& frame) {
         return If<bool>{frame.hides_inlined, true};
       }},
  };
}

Object<PathFrame> KindFrameFields() {
  return {
      FrameFields(),
      {"kind", "note: what is folded, or what could not be seen", kFrameKinds, &PathFrame::kind},
  };
}

Object<PathRow> PathFields(std::string_view unit) {
  return {
      {"depth", "Level in the tree, 0: a root; children follow their parent", &PathRow::depth},
      {KindFrameFields(), [](auto& row) -> const PathFrame& { return *row.frame; }},
      {"recursive", "Whether the method is on its own path already",
       [](auto& row) { return row.node->recursive; }},
      {"total" + std::string(unit), "Its amount, callees included",
       [](auto& row) { return row.node->total.amount; }},
      {"self" + std::string(unit), "Its amount without callees",
       [](auto& row) { return row.node->self.amount; }},
      {"samples", "Number of samples", [](auto& row) { return row.node->total.samples; }},
      {"share", "Share of the whole, 0 to 1", [](auto& row) { return row.share.value; }},
      {"error", "Sampling error of the share (95 %)", [](auto& row) { return row.share.error; }},
  };
}

Object<MethodRow> MethodFields(std::string_view unit, const AmountText& amount) {
  return {
      {TextColumn("self").AlignsRight(),
       [amount](auto& row) { return amount(row.weight.self.amount); }},
      {TextColumn("").AlignsRight(),
       [](auto& row, auto&, auto& style) { return ShareText(style, row.self); }},
      {TextColumn("total").AlignsRight(),
       [](auto& row, auto&, auto& style) { return ShareText(style, row.total); }},
      {TextColumn("samples").AlignsRight(),
       [](auto& row) { return FormatCount(row.weight.self.samples); }},
      {TextColumn("method").Shrinks(),
       [](auto& row, auto&, auto& style) { return FrameText(style, *row.frame, SIZE_MAX); }},
      {KindFrameFields(), [](auto& row) -> const PathFrame& { return *row.frame; }},
      {"self" + std::string(unit), "Its amount without callees",
       [](auto& row) { return row.weight.self.amount; }},
      {"self_samples", "Samples in the method itself",
       [](auto& row) { return row.weight.self.samples; }},
      {"self_share", "Share of self, 0 to 1", [](auto& row) { return row.self.value; }},
      {"self_error", "Sampling error of self_share (95 %)",
       [](auto& row) { return row.self.error; }},
      {"total" + std::string(unit), "Its amount, callees included",
       [](auto& row) { return row.weight.total.amount; }},
      {"total_samples", "Samples, callees included",
       [](auto& row) { return row.weight.total.samples; }},
      {"total_share", "Share of total, 0 to 1", [](auto& row) { return row.total.value; }},
      {"total_error", "Sampling error of total_share (95 %)",
       [](auto& row) { return row.total.error; }},
  };
}

}  // namespace hindsight::analyzer
