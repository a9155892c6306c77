// Nodes of a growing path tree, found by parent and frame.
#pragma once

#include <cstdint>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/pair_table.h"

namespace hindsight::analyzer {

class PathTree {
 public:
  // `paths` must outlive this, and nothing else may add to it meanwhile.
  explicit PathTree(CallPaths& paths) : paths_(paths) {}

  // The child of `parent` for `frame`; added if there is none yet.
  uint32_t Child(uint32_t parent, FrameId frame) {
    uint32_t& child = children_.At(parent, frame);
    if (child == 0) {
      child = static_cast<uint32_t>(paths_.nodes.size());
      PathNode node;
      node.parent = parent;
      node.frame = frame;
      paths_.nodes.push_back(node);
    }
    return child;
  }

 private:
  CallPaths& paths_;
  PairTable<uint32_t> children_;
};

}  // namespace hindsight::analyzer
