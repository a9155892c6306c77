#include "analyzer/analyses/exception_tree.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace hindsight::analyzer {
namespace {

struct ThrowNode {
  uint64_t count = 0;
  std::vector<StackId> children;
  std::vector<ThrownHere> thrown;
};

using PathNodes = std::unordered_map<StackId, ThrowNode>;  // [0]: above all roots

PathNodes CollectNodes(const ExceptionReport& report) {
  const Dictionaries& dictionaries = report.model->dictionaries;
  PathNodes nodes;
  nodes[0];
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ExceptionFinding& finding = report.findings[i];
    for (const PathVariant& variant : finding.variants) {
      StackId id = variant.stack;
      if (id == 0) continue;
      nodes[id].thrown.push_back({i + 1, variant.count});
      for (;;) {
        nodes[id].count += variant.count;
        if (id == 0) break;
        const StackId parent = dictionaries.stack(id).parent;
        std::vector<StackId>& children = nodes[parent].children;
        if (std::find(children.begin(), children.end(), id) == children.end()) {
          children.push_back(id);
        }
        id = parent;
      }
    }
  }
  return nodes;
}

}  // namespace

ExceptionTree BuildExceptionTree(const ExceptionReport& report, double threshold) {
  const Dictionaries& dictionaries = report.model->dictionaries;
  ExceptionTree tree;
  tree.count = report.count;
  for (const ExceptionFinding& finding : report.findings) {
    for (const PathVariant& variant : finding.variants) {
      if (variant.stack == 0) tree.without_stack += variant.count;
    }
  }
  PathNodes nodes = CollectNodes(report);
  const auto smallest = threshold * static_cast<double>(tree.count);

  // Depth first with an explicit stack: paths may be thousands of calls deep.
  struct Pending {
    StackId id;
    uint32_t depth;
  };
  std::vector<Pending> pending;
  const auto push_children = [&](ThrowNode& node, uint32_t depth, TreeNode* owner) {
    std::stable_sort(node.children.begin(), node.children.end(),
                     [&](StackId a, StackId b) { return nodes[a].count > nodes[b].count; });
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      const uint64_t count = nodes[*child].count;
      if (owner != nullptr && static_cast<double>(count) < smallest) {
        owner->folded += count;
        ++owner->folded_children;
      } else {
        pending.push_back({*child, depth});
      }
    }
  };
  push_children(nodes[0], 0, nullptr);
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    TreeNode out;
    out.depth = next.depth;
    StackId id = next.id;
    out.count = nodes[id].count;
    out.methods.push_back(dictionaries.stack(id).method);
    while (nodes[id].thrown.empty() && nodes[id].children.size() == 1) {
      id = nodes[id].children.front();
      out.methods.push_back(dictionaries.stack(id).method);
    }
    out.thrown = nodes[id].thrown;
    push_children(nodes[id], next.depth + 1, &out);
    tree.nodes.push_back(std::move(out));
  }
  return tree;
}

}  // namespace hindsight::analyzer
