// Nodes of a growing path tree, found by parent and frame.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/analyses/call_paths.h"

namespace hindsight::analyzer {

class PathTree {
 public:
  // `paths` must outlive this, and nothing else may add to it meanwhile.
  explicit PathTree(CallPaths& paths) : paths_(paths) {}

  // The child of `parent` for `frame`; added if there is none yet.
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
