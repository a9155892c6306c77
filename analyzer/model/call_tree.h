// Call paths with the location in each method, by which CPU samples and allocations are counted.
//
// Dictionaries::AddStack merges all locations in a method, which is right for reporting where an
// exception came from; line numbers and exports need the location. A node is `method`, at
// `il_offset`, called by its parent. Node 0 is the thread's root. Native frames have nodes of their
// own.
//
// At most kMaxModelEntries nodes: beyond that, Add returns the parent and counts the refusal.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

using CallId = uint32_t;

struct CallNode {
  CallId parent = 0;           // always smaller than the node's own id
  MethodId method = 0;         // 0: unknown
  int32_t il_offset = -1;      // of the call, or of the code that ran; -1: unknown, or native
  bool inlined = false;        // the JIT inlined it into its caller
  bool hides_inlined = false;  // it is unknown what was inlined here
  bool operator==(const CallNode&) const = default;
};

class CallTree {
 public:
  CallTree() : nodes_(1) {}

  CallId Add(const CallNode& node);
  CallId Add(CallId parent, MethodId method, int32_t il_offset) {
    return Add({.parent = parent, .method = method, .il_offset = il_offset});
  }

  // Any id is allowed; unknown ones yield the root.
  const CallNode& node(CallId id) const { return nodes_[id < nodes_.size() ? id : 0]; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  uint64_t refused() const { return refused_; }
  // Whether any node is `inlined` or `hides_inlined`.
  bool has_inlining() const { return has_inlining_; }
  // From the innermost call outwards, without the root: at most kMaxStackDepth, which only damaged
  // input exceeds.
  std::vector<CallId> Path(CallId id) const;

 private:
  struct Hash {
    size_t operator()(const CallNode& node) const {
      const uint64_t place = uint64_t{node.method} << 32 | static_cast<uint32_t>(node.il_offset);
      return (place ^ uint64_t{node.parent} * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
    }
  };

  std::vector<CallNode> nodes_;
  std::unordered_map<CallNode, CallId, Hash> index_;
  uint64_t refused_ = 0;
  bool has_inlining_ = false;
};

}  // namespace hindsight::analyzer
