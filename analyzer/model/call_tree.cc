#include "analyzer/model/call_tree.h"

#include "proto/limits.h"

namespace hindsight::analyzer {

CallId CallTree::Add(const CallNode& node) {
  const auto known = index_.find(node);
  if (known != index_.end()) return known->second;
  if (nodes_.size() >= kMaxModelEntries) {
    ++refused_;
    return node.parent;
  }
  const auto id = static_cast<CallId>(nodes_.size());
  nodes_.push_back(node);
  index_.emplace(node, id);
  has_inlining_ |= node.inlined || node.hides_inlined;
  return id;
}

std::vector<CallId> CallTree::Path(CallId id) const {
  std::vector<CallId> path;
  while (id != 0 && id < nodes_.size() && path.size() < kMaxStackDepth) {
    path.push_back(id);
    id = nodes_[id].parent;
  }
  return path;
}

}  // namespace hindsight::analyzer
