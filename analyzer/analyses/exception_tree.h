// All first throws as one call tree.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/exceptions.h"

namespace hindsight::analyzer {

struct ThrownHere {
  size_t finding = 0;  // rank from 1
  uint64_t count = 0;
};

// Children follow their parent. A node represents a series of calls that all its exceptions share:
// `methods`, outermost first.
struct TreeNode {
  std::vector<MethodId> methods;
  uint64_t count = 0;  // logical exceptions thrown here or below
  uint32_t depth = 0;
  std::vector<ThrownHere> thrown;  // by the last of `methods`
  uint64_t folded = 0;             // exceptions of children below the threshold
  uint32_t folded_children = 0;
};

struct ExceptionTree {
  std::vector<TreeNode> nodes;  // in print order: the most frequent child first
  uint64_t count = 0;
  uint64_t without_stack = 0;
};

// Children with less than the share `threshold` (0..1) of all are folded into their parent.
ExceptionTree BuildExceptionTree(const ExceptionReport& report, double threshold);

}  // namespace hindsight::analyzer
