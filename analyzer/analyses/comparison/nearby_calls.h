// What happens around a method on full stacks, including the framework's frames: shows where its
// amounts are in a recording whose JIT inlined it into its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/analyses/comparison/changes.h"

namespace hindsight::analyzer {

class NearbyCalls {
 public:
  struct Node {
    uint32_t parent = 0;    // smaller than the node's own index
    uint32_t frame = 0;     // the same number in both recordings for the same method
    bool is_yours = false;  // its owner is a method of yours, which is this frame
  };
  struct Sample {
    uint32_t node = 0;
    uint32_t cell = 0;  // in which it is counted
    uint32_t slice = 0;
    double amount = 0;
    double variance = 0;
  };
  // One recording; nodes[0] is the root.
  struct Paths {
    std::vector<Node> nodes{1};
    std::vector<Sample> samples;
  };

  NearbyCalls(Paths before, Paths after);

  // The code into which `frame` may be inlined: its callers, in anyone's code, that both recordings
  // have, the nearest `reach` on each path. Counts what they do without other methods of yours in
  // between, except `callees`, which `frame` calls: these then appear without it. If `frame` is not
  // yours, calls to it for methods of yours are counted as well, since it may be in these. Skips
  // cells for which `is_left_out`.
  ChangeCell Around(uint32_t frame, const std::vector<bool>& callees, int reach,
                    const std::function<bool(uint32_t cell)>& is_left_out) const;

 private:
  // Indexed by frame.
  std::vector<bool> CallersOf(uint32_t frame, int reach) const;
  bool IsInBoth(uint32_t frame) const { return has_before_[frame] && has_after_[frame]; }

  Paths before_, after_;
  std::vector<bool> has_before_, has_after_, is_yours_;  // indexed by frame
};

}  // namespace hindsight::analyzer
