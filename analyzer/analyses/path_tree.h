// Nodes of a growing path tree, found by parent and frame.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/analyses/call_paths.h"

namespace hindsight::analyzer {

class PathTree {
 public:
  // `paths` outlives this, and is grown by nobody else meanwhile.
  explicit PathTree(CallPaths& paths) : paths_(paths) {}

  // The child of `parent` that stands for `frame`; a new one if there is none.
  uint32_t Child(uint32_t parent, FrameId frame) {
    const uint64_t key = uint64_t{parent} << 32 | frame;
    const auto [place, is_new] =
        index_.try_emplace(key, static_cast<uint32_t>(paths_.nodes.size()));
    if (is_new) {
      PathNode node;
      node.parent = parent;
      node.frame = frame;
      paths_.nodes.push_back(node);
    }
    return place->second;
  }

 private:
  CallPaths& paths_;
  std::unordered_map<uint64_t, uint32_t> index_;
};

}  // namespace hindsight::analyzer
