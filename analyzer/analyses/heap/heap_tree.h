// Paths to many objects, merged into a tree: one node per sequence of edges and types.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Children follow their parent, the one with the most bytes first.
struct HeapTreeNode {
  uint32_t depth = 0;
  // All numbers are those of the node before it: an only child, shown below its parent without
  // indentation.
  bool continues = false;
  bool repeats = false;  // paths lead through the same edge and type again, and are merged here
  std::string edge;      // ._items, [], static Shop.Cache._items; empty if the tree has no edges
  TypeId type = 0;       // 0: unknown
  uint64_t objects = 0, bytes = 0;          // here and below, as the tree counts
  uint64_t own_objects = 0, own_bytes = 0;  // that end here
  // Of children that are left out because they are too small or too deep.
  uint64_t folded_objects = 0, folded_bytes = 0;
  uint32_t folded_children = 0;
  uint32_t built_as = 0;  // the builder's number of this node
};

struct HeapTree {
  uint64_t objects = 0, bytes = 0;                // the whole to which shares refer
  std::vector<HeapTreeNode> nodes;                // in print order
  uint64_t folded_objects = 0, folded_bytes = 0;  // of roots, as in the nodes
  uint32_t folded_children = 0;
};

struct HeapTreeLimits {
  double min_share = 0.01;  // of the bytes; 0 shows all
  uint32_t depth = 64;
};

// Grows with distinct paths, not with objects: a path that returns to an edge and type of its last
// steps returns to that node, paths deeper than kMaxDepth stay where they are, and so do all that
// would need more than kMaxNodes. Not thread-safe.
class HeapTreeBuilder {
 public:
  using Node = uint32_t;
  static constexpr Node kTop = 0;
  static constexpr uint32_t kMaxDepth = 256;
  static constexpr uint32_t kMaxNodes = 1u << 18;

  struct Step {
    Node node = kTop;
    bool is_repeat = false;  // `node` is above `parent`, or is `parent` itself
  };
  // The child of `parent` for this edge and type. `edge` is any number that identifies the edge.
  Step Child(Node parent, uint64_t edge, TypeId type);

  void Add(Node node, uint64_t objects, uint64_t bytes);

  // Adds each node's numbers to those of all nodes above it. At most once, after the last Add.
  void SumUp();

  // Calls `name(edge)` for the nodes that are shown.
  template <typename Name>
  HeapTree LayOut(uint64_t objects, uint64_t bytes, const HeapTreeLimits& limits,
                  const Name& name) {
    HeapTree tree = LayOut(objects, bytes, limits);
    for (size_t i = 0; i < tree.nodes.size(); ++i) tree.nodes[i].edge = name(shown_[i]);
    return tree;
  }

 private:
  struct Entry {
    Node parent = kTop;
    uint32_t depth = 0;
    uint64_t edge = 0;
    TypeId type = 0;
    bool repeats = false;
    uint64_t objects = 0, bytes = 0, own_objects = 0, own_bytes = 0;
  };
  struct Key {
    Node parent;
    TypeId type;
    uint64_t edge;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };

  HeapTree LayOut(uint64_t objects, uint64_t bytes, const HeapTreeLimits& limits);

  std::vector<Entry> nodes_{1};
  std::unordered_map<Key, Node, Hash> index_;
  Key last_key_{};
  Step last_step_{};
  bool has_last_ = false;
  std::vector<uint64_t> shown_;  // edges, parallel to the nodes of the last tree
};

}  // namespace hindsight::analyzer
