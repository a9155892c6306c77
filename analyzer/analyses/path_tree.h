// Nodes of a growing tree of calls, found by parent and frame.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/pair_table.h"

namespace hindsight::analyzer {

// `Node` has a `parent` and a `frame`; the first one is the root.
template <typename Node>
class PathTree {
 public:
  // `nodes` must outlive this, and nothing else may add to it meanwhile.
  explicit PathTree(std::vector<Node>& nodes) : nodes_(nodes) {}

  // The child of `parent` for `frame`; added if there is none yet.
  uint32_t Child(uint32_t parent, uint32_t frame) {
    uint32_t& child = children_.At(parent, frame);
    if (child == 0) {
      child = static_cast<uint32_t>(nodes_.size());
      Node& node = nodes_.emplace_back();
      node.parent = parent;
      node.frame = frame;
    }
    return child;
  }

 private:
  std::vector<Node>& nodes_;
  PairTable<uint32_t> children_;
};

}  // namespace hindsight::analyzer
