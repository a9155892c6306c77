#include "analyzer/report/heap/heap_tree_report.h"

#include <algorithm>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kBytesColumns = 12;
constexpr size_t kShareColumns = 8;
constexpr size_t kCountColumns = 13;
constexpr size_t kMaxIndent = 40;
constexpr size_t kLeastOfType = 10;

// Lines of a tree: numbers, then the edge and the type, indented by depth.
class TreeWriter {
 public:
  TreeWriter(const HeapModel& model, const HeapTree& tree, const TextStyle& style)
      : model_(model), tree_(tree), style_(style) {}

  std::string Render(std::string_view title) {
    out_ = Paint(style_, Tone::kFaint,
                 PadLeft("bytes", kBytesColumns) + PadLeft("share", kShareColumns) +
                     PadLeft("objects", kCountColumns) + "  " + std::string(title)) +
           "\n";
    // The line for a node's folded children comes after everything below the node.
    struct Open {
      const HeapTreeNode* node;
      size_t indent;
    };
    std::vector<Open> open;
    const auto close = [&](uint32_t depth) {
      while (!open.empty() && open.back().node->depth >= depth) {
        const HeapTreeNode& node = *open.back().node;
        Folded(node.folded_children, node.folded_bytes, node.folded_objects,
               open.back().indent + 1);
        open.pop_back();
      }
    };
    for (const HeapTreeNode& node : tree_.nodes) {
      close(node.depth);
      const size_t indent = open.empty() ? 0 : open.back().indent + (node.continues ? 0 : 1);
      Node(node, indent);
      open.push_back({&node, indent});
    }
    close(0);
    Folded(tree_.folded_children, tree_.folded_bytes, tree_.folded_objects, 0);
    return std::move(out_);
  }

 private:
  void Node(const HeapTreeNode& node, size_t indent) {
    std::string edge;
    if (!node.edge.empty()) edge = Printable(node.edge) + ": ";
    std::string type = Printable(TypeBriefName(model_.dictionaries, node.type));
    if (node.repeats) type += " (repeated)";
    // The type is shortened first, because the edge says more.
    const size_t room = Room(indent);
    const size_t beside = room > TextColumns(edge) ? room - TextColumns(edge) : 0;
    if (beside >= kLeastOfType) type = ShortenMiddle(style_, type, beside);
    Line(!node.continues, node.bytes, node.objects, indent, edge + type, Tone::kStrong);
  }

  size_t Blanks(size_t indent) const {
    return std::min(indent * 2, std::min(kMaxIndent, style_.width / 3));
  }
  // Columns after the numbers and the indentation.
  size_t Room(size_t indent) const {
    return style_.width - kBytesColumns - kShareColumns - kCountColumns - 2 - Blanks(indent);
  }

  void Folded(uint32_t children, uint64_t bytes, uint64_t objects, size_t indent) {
    if (children == 0) return;
    Line(true, bytes, objects, indent,
         "(" + FormatCount(children) + (children == 1 ? " smaller one)" : " smaller ones)"),
         Tone::kFaint);
  }

  void Line(bool has_numbers, uint64_t bytes, uint64_t objects, size_t indent,
            const std::string& text, Tone tone) {
    std::string numbers(kBytesColumns + kShareColumns + kCountColumns, ' ');
    if (has_numbers) {
      numbers = PadLeft(FormatBytes(bytes), kBytesColumns) +
                PadLeft(PercentOf(bytes, tree_.bytes), kShareColumns) +
                PadLeft(FormatCount(objects), kCountColumns);
    }
    const std::string shown = ShortenMiddle(style_, text, Room(indent));
    out_ += numbers + "  " + std::string(Blanks(indent), ' ') +
            (tone == Tone::kStrong ? shown : Paint(style_, tone, shown)) + "\n";
  }

  const HeapModel& model_;
  const HeapTree& tree_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string PathsText(const HeapModel& model, const MergedPaths& paths, std::string_view target,
                      const TextStyle& style) {
  std::string out =
      HeapHead("Shortest paths to " + Printable(target) + " in the heap", model, style);
  out += Paragraph(Plural(paths.tree.objects, "object") + ", " + FormatBytes(paths.tree.bytes) +
                       " alive" +
                       (paths.unreachable_objects == 0
                            ? std::string(".")
                            : "; " + Plural(paths.unreachable_objects, "object") + ", " +
                                  FormatBytes(paths.unreachable_bytes) + " unreachable (garbage)."),
                   style);
  if (paths.tree.objects == 0) return out;
  out += "\n" + TreeWriter(model, paths.tree, style).Render("path, from the root") + "\n";
  return out + NextHint(
                   "`hindsight dominators` shows what each of these retains; `object ADDRESS`, one "
                   "object; --min-share 0 includes small branches.",
                   style);
}

std::string DominatorsText(const HeapModel& model, const FoldedDominators& folded,
                           const TextStyle& style) {
  std::string out = HeapHead("Dominator tree of the heap", model, style);
  out += Paragraph(Plural(folded.tree.objects, "object") + ", " + FormatBytes(folded.tree.bytes) +
                       " alive. Everything below a line would be garbage without it.",
                   style) +
         "\n";
  out += TreeWriter(model, folded.tree, style).Render("type, from the root") + "\n";
  return out + NextHint(
                   "`hindsight retained` lists individual objects; `paths TYPE` shows all paths to "
                   "shared ones; --min-share 0 includes small branches.",
                   style);
}

namespace {

struct FoldedBranches {
  uint32_t branches;
  uint64_t objects, bytes;
};
template <typename Tree>  // or a node
FoldedBranches FoldedOf(const Tree& tree) {
  return {tree.folded_children, tree.folded_objects, tree.folded_bytes};
}

Object<FoldedBranches> FoldedFields() {
  return {
      {"branches", "How many", &FoldedBranches::branches},
      {"objects", "Objects", &FoldedBranches::objects},
      {"bytes", "Bytes", &FoldedBranches::bytes},
  };
}

Object<HeapTreeNode, HeapContext> TreeNodeFields() {
  return {
      {"depth", "Level in the tree, 0: a root; children follow their parent", &HeapTreeNode::depth},
      {"edge", "Field or element that leads here", &HeapTreeNode::edge},
      {"type", "A type, as C# writes it", TypeAt(&HeapTreeNode::type)},
      {"objects", "Objects", &HeapTreeNode::objects},
      {"bytes", "Bytes", &HeapTreeNode::bytes},
      {"own_objects", "Objects that end here", &HeapTreeNode::own_objects},
      {"own_bytes", "Bytes that end here", &HeapTreeNode::own_bytes},
      {"repeats", "Whether nested objects of the same type are folded into this row",
       &HeapTreeNode::repeats},
      {"folded", "Branches too small to show", FoldedFields(), &FoldedOf<HeapTreeNode>},
  };
}

Object<HeapTree, HeapContext> TreeFields() {
  return {
      {"objects", "Objects", &HeapTree::objects},
      {"bytes", "Bytes", &HeapTree::bytes},
      {"nodes", "Rows of the tree, children after their parent", TreeNodeFields(),
       &HeapTree::nodes},
      {"folded", "Branches too small to show", FoldedFields(), &FoldedOf<HeapTree>},
  };
}

struct PathsAnswer : HeapContext {
  std::string_view target;
};

Object<MergedPaths, PathsAnswer> PathsFields() {
  return {
      HeadFields("paths"),
      {"heap", "", HeapFields(), kItsHeap},
      {"target", "The type or address, as given",
       [](auto&, auto& answer) { return answer.target; }},
      {"unreachable", "Unreachable objects of this type", ObjectsAndBytesFields(),
       [](auto& paths) {
         return ObjectsAndBytes{paths.unreachable_objects, paths.unreachable_bytes};
       }},
      {"tree", "The tree", TreeFields(), &MergedPaths::tree},
  };
}

Object<FoldedDominators, HeapContext> DominatorsFields() {
  return {
      HeadFields("dominators"),
      {"heap", "", HeapFields(), kItsHeap},
      {"tree", "The tree", TreeFields(), &FoldedDominators::tree},
  };
}

}  // namespace

std::string PathsJson(const HeapModel& model, const MergedPaths& paths, std::string_view target) {
  return JsonOf(PathsFields(), paths, {{&model}, target});
}

SharedShape PathsShape() { return PathsFields().shape(); }

std::string DominatorsJson(const HeapModel& model, const FoldedDominators& folded) {
  return JsonOf(DominatorsFields(), folded, {&model});
}

SharedShape DominatorsShape() { return DominatorsFields().shape(); }

}  // namespace hindsight::analyzer
